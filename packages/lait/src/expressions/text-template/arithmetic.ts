import { formatText } from './format-text.js';
import {
  bounded,
  defined,
  isNumeric,
  maxTextLength,
  type TemplateValue,
  templateText,
  typeName,
} from './operations.js';
import { TemplateError } from './template-error.js';

/** Longest list that `*` may build. */
const maxListLength = 100_000;

/** `left operator right`, also of texts and lists. */
export function arithmetic(operator: string, left: TemplateValue, right: TemplateValue): TemplateValue {
  const one = defined(left);
  const other = defined(right);
  if (operator === '~') return bounded(templateText(one) + templateText(other));
  if (operator === '+' && typeof one === 'string' && typeof other === 'string') return bounded(one + other);
  if (operator === '+' && Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  if (operator === '*' && Array.isArray(one) && typeof other === 'number') return repeatList(one, other);
  if (operator === '*' && typeof one === 'string' && typeof other === 'number') return repeat(one, other);
  if (operator === '*' && typeof one === 'number' && typeof other === 'string') return repeat(other, one);
  if (operator === '%' && typeof one === 'string')
    return formatText(one, Array.isArray(other) ? other : [other]);
  if (!isNumeric(one) || !isNumeric(other))
    throw new TemplateError(`cannot use '${operator}' on ${typeName(one)} and ${typeName(other)}`);
  return calculate(operator, Number(one), Number(other));
}

function calculate(operator: string, one: number, other: number): number {
  if ((operator === '/' || operator === '//' || operator === '%') && other === 0)
    throw new TemplateError('division by zero');
  switch (operator) {
    case '+':
      return one + other;
    case '-':
      return one - other;
    case '*':
      return one * other;
    case '/':
      return one / other;
    case '//':
      return Math.floor(one / other);
    case '%':
      return one - other * Math.floor(one / other);
    default:
      return one ** other;
  }
}

function repeat(text: string, times: number): string {
  if (!Number.isInteger(times))
    throw new TemplateError('a text can only be repeated a whole number of times');
  if (text.length * times > maxTextLength) throw new TemplateError('a text grew beyond 1 MiB');
  return text.repeat(Math.max(0, times));
}

function repeatList(list: readonly TemplateValue[], times: number): TemplateValue[] {
  if (!Number.isInteger(times))
    throw new TemplateError('a list can only be repeated a whole number of times');
  if (list.length * times > maxListLength)
    throw new TemplateError(`a list grew beyond ${maxListLength} items`);
  return Array.from({ length: Math.max(0, times) }, () => list).flat();
}

/**
 * Rounds to a number of decimal places, negative ones to tens and hundreds; what lies exactly between two goes to the
 * even one, as in Jinja.
 */
export function roundHalfEven(value: number, digits: number): number {
  if (digits < 0) return roundHalfEven(value / 10 ** -digits, 0) * 10 ** -digits;
  const away = value.toFixed(digits);
  const [, fraction = ''] = Math.abs(value).toFixed(100).split('.');
  const between = /^50*$/.test(fraction.slice(digits));
  if (!between || Number(away.at(-1)) % 2 === 0) return Number(away);
  return Number((Number(away) - Math.sign(value) * 10 ** -digits).toFixed(digits));
}
