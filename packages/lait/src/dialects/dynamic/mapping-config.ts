import type { MappingEntry, MappingSource } from '../../expressions/mapping.js';
import { isPlainPath } from '../../expressions/path.js';
import { parsePlaceholderTemplate, TemplateSyntaxError } from '../../expressions/placeholder-template.js';
import { isObject, type JsonObject, type JsonValue } from '../../values/value.js';
import type { IssueCode } from './issue-codes.js';
import { copyPlainJson } from './plain-json.js';

/** What is wrong with one descriptor: `suffix` leads from the descriptor to the wrong part. */
export interface DescriptorIssue {
  code: IssueCode;
  suffix: string;
  message: string;
}

/** A mapping's descriptors as an object, from JSON text or an object; undefined when it is neither. */
export function readMappingConfig(config: JsonValue | undefined): JsonObject | undefined {
  if (typeof config !== 'string') return isObject(config) ? config : undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(config);
  } catch {
    return undefined;
  }
  // The text may hide a depth bomb from the check of the definition around it.
  const copy = copyPlainJson(parsed, 'mapConfig');
  return isObject(copy) ? copy : undefined;
}

const oneSource: DescriptorIssue = {
  code: 'invalid-map-config',
  suffix: '',
  message: 'Mapping descriptor must define exactly one source.',
};
const plainPathsOnly = 'Mapping paths must use plain dotted segments.';

/** Tells which source a descriptor names. Only its own form is judged here. Source: dynamic facts §2.1. */
export function readDescriptor(descriptor: JsonValue | undefined): MappingSource | DescriptorIssue {
  if (!isObject(descriptor)) {
    return { code: 'invalid-map-config', suffix: '', message: 'Mapping descriptor must be an object.' };
  }
  const { template, requestContextPath } = descriptor;
  const hasValue = Object.hasOwn(descriptor, 'value');
  const sources =
    Number(hasValue) +
    Number(Object.hasOwn(descriptor, 'template')) +
    Number(typeof requestContextPath === 'string') +
    Number(Object.hasOwn(descriptor, 'path'));
  if (sources !== 1) return oneSource;
  if (hasValue) return { type: 'value', value: descriptor.value! };
  if (template !== undefined) return typeof template === 'string' ? readTemplate(template) : oneSource;
  if (typeof requestContextPath === 'string') return readContextPath(requestContextPath);
  return readPath(descriptor);
}

/**
 * `{{name}}`, the placeholders of other languages: they would come out as they are. Only what looks like a name counts,
 * so `{{.}}` and `{{-}}` are text.
 */
const doubleBraces = /\{\{\s*[$\w][-$.\w]*\s*\}\}/;

function readTemplate(template: string): MappingSource | DescriptorIssue {
  const issue = (message: string): DescriptorIssue => ({
    code: 'invalid-map-reference',
    suffix: '.template',
    message,
  });
  try {
    const parsed = parsePlaceholderTemplate(template);
    if (!doubleBraces.test(template)) return { type: 'template', template: parsed };
  } catch (error) {
    if (error instanceof TemplateSyntaxError) return issue(error.message);
    throw error;
  }
  const shown = template.length <= 500 ? template : `${template.slice(0, 499)}…`;
  return issue(
    'Templates use ${...} placeholders (e.g. "${initData.name}"), not {{...}}. ' +
      `"${shown}" would be emitted literally.`,
  );
}

function readContextPath(key: string): MappingSource | DescriptorIssue {
  if (key === '.' || isPlainPath(key)) return { type: 'requestContext', key };
  return { code: 'invalid-map-config', suffix: '.requestContextPath', message: plainPathsOnly };
}

function readPath({ initData, step, path }: JsonObject): MappingSource | DescriptorIssue {
  if (path !== '' && path !== '.' && !isPlainPath(path)) {
    return { code: 'invalid-map-config', suffix: '.path', message: plainPathsOnly };
  }
  const steps = typeof step === 'string' ? [step] : Array.isArray(step) ? step : [];
  const namesSteps = steps.length > 0 && steps.every((id) => typeof id === 'string');
  if ((initData === true) === namesSteps) {
    return {
      code: 'invalid-map-config',
      suffix: '',
      message: 'Path mappings must reference exactly one of initData or step.',
    };
  }
  return initData === true ? { type: 'initData', path } : { type: 'step', ids: steps as string[], path };
}

/** True for what `readDescriptor` refused. */
export function isDescriptorIssue(result: MappingSource | DescriptorIssue): result is DescriptorIssue {
  return 'suffix' in result;
}

/** The entries of a mapping that the checks have accepted. */
export function mappingEntries(config: JsonObject): MappingEntry[] {
  return Object.entries(config).map(([key, descriptor]) => {
    const source = readDescriptor(descriptor);
    if (isDescriptorIssue(source)) throw new Error(`mapping '${key}' was not checked: ${source.message}`);
    return { key, source };
  });
}
