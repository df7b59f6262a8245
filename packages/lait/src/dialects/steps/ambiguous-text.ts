import type { ScalarNode } from '../../plan/yaml/source-node.js';

const words = /^(?:yes|no|on|off)$/i;
const date = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/;
const sexagesimal = /^[-+]?\d[\d_]*(?::[0-5]?\d)+$/;
const number = /^[-+]?(?:\d[\d_]*_[\d_]*|0[0-7]+|0b[01_]+)$/;

/** Why a plain text is read as something else by YAML 1.1 tools, if it is. Source: field report FR-31. */
export function ambiguity({ style, value }: ScalarNode): string | undefined {
  if (style !== 'plain' || typeof value !== 'string') return undefined;
  const other = words.test(value)
    ? 'true or false'
    : date.test(value)
      ? 'a date'
      : sexagesimal.test(value) || number.test(value)
        ? 'a number'
        : undefined;
  if (other === undefined) return undefined;
  return `\`${value}\` is text here but ${other} in other YAML tools: write it in quotes`;
}
