import type { BuiltinTable } from './builtin.js';
export const dateBuiltins: BuiltinTable = [];
