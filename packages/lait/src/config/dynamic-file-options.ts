import type { DynamicFileOptions } from '../dialects/dialect.js';
import type { Classifier } from '../dialects/dynamic/lower.js';
import type { Services } from '../kinds/services.js';
import { isWorkflowPath } from './workflow-service.js';

export interface KnownForDynamicFiles {
  services: Services;
  /** Names that `workflowId` may have beside paths. */
  workflows: readonly string[];
  classifiers?: Readonly<Record<string, Classifier>>;
  strictSchemas?: boolean;
}

/** Files may call workflows by path, too; what others take and give is known only when they are read. */
export async function dynamicFileOptions(known: KnownForDynamicFiles): ReturnType<DynamicFileOptions> {
  const { services, workflows, classifiers = {}, strictSchemas = false } = known;
  const { catalogOfServices } = await import('../dialects/dynamic/service-catalog.js');
  const names = new Set(workflows);
  const catalog = await catalogOfServices({
    services,
    classifiers,
    workflow: (id) => (isWorkflowPath(id) || names.has(id) ? {} : undefined),
    workflowNames: () => workflows,
  });
  return {
    catalog,
    strictSchemas,
    classifier: (id) => (Object.hasOwn(classifiers, id) ? classifiers[id] : undefined),
  };
}
