import { expect, it } from 'vitest';
import { kinds } from '../../src/kinds/index.js';

it('finds each kind by its own name', () => {
  for (const kind of kinds.values()) expect(kinds.get(kind.name)).toBe(kind);
});

it('knows no kinds by what every object has', () => {
  for (const name of ['constructor', '__proto__', 'toString']) expect(kinds.get(name)).toBeUndefined();
});
