import {
  bounded,
  defined,
  isNumeric,
  isTemplateObject,
  representation,
  type TemplateValue,
  templateText,
  typeName,
  UndefinedValue,
} from './operations.js';
import { TemplateError } from './template-error.js';

/** `%s`, `%d`, `%f` with optional width and precision, `%(name)s` of a dict, and `%%`. */
export function formatText(pattern: string, values: readonly TemplateValue[]): string {
  let used = 0;
  const result = pattern.replace(
    /%(?:\(([^()]+)\))?([-0]?)(\d{0,4})(?:\.(\d{1,2}))?([sdfrx%])/g,
    (
      _,
      name: string | undefined,
      flag: string,
      width: string,
      precision: string | undefined,
      kind: string,
    ) => {
      if (kind === '%') return '%';
      let value: TemplateValue;
      if (name !== undefined) value = namedValue(values[0], name);
      else {
        if (used >= values.length) throw new TemplateError('too few values for the format');
        value = values[used]!;
        used += 1;
      }
      const text = formatOne(kind, value, precision === undefined ? undefined : Number(precision));
      const size = Number(width || 0);
      if (flag === '-') return text.padEnd(size);
      return text.padStart(size, flag === '0' && kind !== 's' ? '0' : ' ');
    },
  );
  return bounded(result);
}

function namedValue(values: TemplateValue | undefined, name: string): TemplateValue {
  if (values === undefined || !isTemplateObject(values)) throw new TemplateError(`%(${name}) needs a dict`);
  return Object.hasOwn(values, name) ? values[name]! : new UndefinedValue(name);
}

function formatOne(kind: string, value: TemplateValue, precision: number | undefined): string {
  if (kind === 's') {
    const text = templateText(value);
    return precision === undefined ? text : text.slice(0, precision);
  }
  if (kind === 'r') return representation(value);
  const known = defined(value);
  if (!isNumeric(known)) throw new TemplateError(`%${kind} needs a number, not ${typeName(known)}`);
  if (kind === 'd') return String(Math.trunc(Number(known)));
  return kind === 'x' ? Math.trunc(Number(known)).toString(16) : Number(known).toFixed(precision ?? 6);
}
