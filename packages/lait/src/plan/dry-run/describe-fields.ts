import type { Expression } from '../../expressions/expression.js';
import type { Kind } from '../../kinds/kind.js';
import type { SchemaSource } from '../../schema/schema-source.js';
import type { FieldTable, FieldType } from '../fields.js';
import type { PlanNode } from '../plan.js';
import { modelSettingFields, toolSelectionFields } from '../settings-fields.js';
import type { KnownScope } from './known-scope.js';
import type { PlannedField } from './planned-run.js';

/** Shown as the model and the tools that they lead to. */
const settings = { ...modelSettingFields, ...toolSelectionFields };

/** The fields of a step that are its own, by the table of its kind; by its expressions where it has no table. */
export function describeFields(node: PlanNode, kind: Kind, scope: KnownScope): PlannedField[] {
  const values = (node.fields ?? {}) as Readonly<Record<string, unknown>>;
  if (kind.fields === undefined) {
    const expressions = (kind.expressions?.(node.fields) ?? []).map(({ name, expression }) =>
      expression.language === 'template' ? scope.render(name, expression) : { name, text: expression.source },
    );
    return [...plainFields(values), ...expressions];
  }
  return Object.entries(kind.fields as FieldTable).flatMap(([name, field]) => {
    const isSetting = kind.modelUse !== undefined && Object.hasOwn(settings, name);
    if (isSetting || !Object.hasOwn(values, name) || values[name] === undefined) return [];
    return describeValue(name, field, values[name], scope) ?? [];
  });
}

/** Texts and numbers: the names of what is called, and settings. */
function plainFields(values: Readonly<Record<string, unknown>>): PlannedField[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [{ name, text: String(value) }] : [],
  );
}

/** Undefined for what holds steps: those are shown as blocks. */
function describeValue(
  name: string,
  type: FieldType,
  value: unknown,
  scope: KnownScope,
): PlannedField | undefined {
  switch (type.type) {
    case 'template':
      return scope.render(name, value as Expression);
    case 'jq':
      return { name, text: (value as Expression).source };
    case 'schema': {
      const { name: schema, file } = value as SchemaSource;
      return { name, text: schema ?? file ?? 'inline' };
    }
    case 'list':
      return describeList(name, type.items, value as readonly unknown[], scope);
    case 'text':
      return { name, text: value as string };
    default:
      return holdsSteps(type) ? undefined : { name, text: JSON.stringify(value) };
  }
}

function describeList(
  name: string,
  type: FieldType,
  values: readonly unknown[],
  scope: KnownScope,
): PlannedField | undefined {
  if (holdsSteps(type)) return undefined;
  const items = values.map((value) => describeValue(name, type, value, scope)!);
  const unrendered = [...new Set(items.flatMap((item) => item.unrendered ?? []))];
  return {
    name,
    text: JSON.stringify(items.map(({ text }) => text)),
    ...(unrendered.length === 0 ? {} : { unrendered: unrendered.join('; ') }),
  };
}

function holdsSteps(type: FieldType): boolean {
  switch (type.type) {
    case 'block':
      return true;
    case 'list':
      return holdsSteps(type.items);
    case 'map':
      return holdsSteps(type.values);
    case 'object':
      return Object.values(type.fields).some(holdsSteps);
    default:
      return false;
  }
}
