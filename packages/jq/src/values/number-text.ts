/** The text of a number in JSON as jq prints it: NaN is null and infinities are the largest doubles. */
export function numberText(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude < 1e16 && magnitude >= 1e-4) return String(value);
  if (magnitude === 0) return Object.is(value, -0) ? '-0' : '0';
  if (Number.isNaN(value)) return 'null';
  if (magnitude === Infinity) return value > 0 ? '1.7976931348623157e+308' : '-1.7976931348623157e+308';
  return scientificText(value);
}

/** jq changes to an exponent later than JavaScript for long digit strings, and pads it to two digits. */
function scientificText(value: number): string {
  const [mantissa, exponentText] = value.toExponential().split('e') as [string, string];
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '');
  if (exponent > 0 && exponent + 1 <= digits.length + 15) {
    return `${sign}${digits.padEnd(exponent + 1, '0')}`;
  }
  const padded = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${padded}`;
}
