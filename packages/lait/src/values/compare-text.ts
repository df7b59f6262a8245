/** Orders texts by code points, so that the order does not depend on how JavaScript stores characters. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  let index = 0;
  while (index < left.length && index < right.length && left[index] === right[index]) index += 1;
  // Step back onto the start of a surrogate pair that differs in its second half.
  if (index > 0 && isLowSurrogate(left.charCodeAt(index)) && isLowSurrogate(right.charCodeAt(index)))
    index -= 1;
  return (left.codePointAt(index) ?? -1) - (right.codePointAt(index) ?? -1);
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
