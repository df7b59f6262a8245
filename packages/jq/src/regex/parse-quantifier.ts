import type { PatternReader } from './pattern-reader.js';
import type { RegexNode } from './syntax.js';

type Quantifier = Pick<Extract<RegexNode, { type: 'repeat' }>, 'minimum' | 'maximum' | 'mode'>;

const maximumRepeat = 100_000;

/** How often what stands before is repeated; null where no quantifier stands. */
export function parseQuantifier(reader: PatternReader): Quantifier | null {
  const bounds = readBounds(reader);
  if (bounds === null) return null;
  const mode = reader.accept('?') ? 'lazy' : reader.accept('+') ? 'possessive' : 'greedy';
  return { ...bounds, mode };
}

function readBounds(reader: PatternReader): Omit<Quantifier, 'mode'> | null {
  if (reader.accept('*')) return { minimum: 0, maximum: Infinity };
  if (reader.accept('+')) return { minimum: 1, maximum: Infinity };
  if (reader.accept('?')) return { minimum: 0, maximum: 1 };
  const found = reader.attempt(() =>
    reader.accept('{') ? /^([0-9]+)(?:(,)([0-9]*))?$/.exec(reader.until('}') ?? '') : null,
  );
  if (found === null) return null;
  const minimum = Number(found[1]);
  const maximum = found[2] === undefined ? minimum : found[3] === '' ? Infinity : Number(found[3]);
  if (minimum > maximumRepeat || (maximum > maximumRepeat && maximum !== Infinity)) {
    reader.fail('too big number {n,m} repeat range');
  }
  if (maximum < minimum) reader.fail('upper is smaller than lower in repeat range');
  return { minimum, maximum };
}
