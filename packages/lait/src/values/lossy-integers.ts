/**
 * The integers in a JSON text that JavaScript numbers cannot hold exactly, as written. They lose digits when the text
 * is parsed; callers warn about them.
 */
export function lossyIntegers(json: string): string[] {
  const lossy: string[] = [];
  let position = 0;
  while (position < json.length) {
    const character = json[position]!;
    if (character === '"') {
      position = afterString(json, position);
    } else if (character === '-' || isDigit(character)) {
      let end = position + 1;
      while (end < json.length && /[\d.eE+-]/.test(json[end]!)) end += 1;
      const token = json.slice(position, end);
      if (token.length > 15 && /^-?\d+$/.test(token) && losesDigits(token)) lossy.push(token);
      position = end;
    } else {
      position += 1;
    }
  }
  return lossy;
}

function afterString(json: string, start: number): number {
  let position = start + 1;
  while (position < json.length && json[position] !== '"') position += json[position] === '\\' ? 2 : 1;
  return position + 1;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function losesDigits(token: string): boolean {
  const parsed = Number(token);
  return !Number.isFinite(parsed) || BigInt(parsed) !== BigInt(token);
}
