import type { FieldType } from '../../plan/fields.js';
import type { ScalarNode, SourceNode } from '../../plan/yaml/source-node.js';

/** True for a field without a value: `field:`, `null`, `~`. */
export function isEmpty(node: SourceNode): node is ScalarNode {
  return node.type === 'scalar' && node.value === null;
}

/** Whether a value has the YAML type that a field type starts with. */
export function fits(type: FieldType, node: SourceNode): boolean {
  switch (type.type) {
    case 'list':
    case 'block':
      return node.type === 'list';
    case 'map':
    case 'object':
    case 'variants':
      return node.type === 'map';
    case 'schema':
      return node.type === 'map' || (node.type === 'scalar' && typeof node.value === 'string');
    case 'union':
      return type.options.some((option) => fits(option, node));
    case 'json':
    case 'custom':
      return true;
    case 'empty':
      return isEmpty(node);
    case 'choice':
      return node.type === 'scalar' && type.values.some((value) => typeof value === typeof node.value);
    case 'integer':
    case 'number':
      return node.type === 'scalar' && typeof node.value === 'number';
    case 'boolean':
      return node.type === 'scalar' && typeof node.value === 'boolean';
    default:
      return node.type === 'scalar' && typeof node.value === 'string';
  }
}

/** What people call a field type in a message. */
export function nameOf(type: FieldType): string {
  switch (type.type) {
    case 'jq':
      return 'a jq expression';
    case 'list':
      return 'a list';
    case 'block':
      return 'a list of steps';
    case 'map':
    case 'object':
    case 'variants':
      return 'a mapping';
    case 'schema':
      return 'a schema';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return type.values.join(' or ');
    case 'union':
      return type.options.map(nameOf).join(', or ');
    case 'empty':
      return 'empty';
    default:
      return 'text';
  }
}
