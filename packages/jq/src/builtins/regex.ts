import type { BuiltinTable } from './builtin.js';
export const regexBuiltins: BuiltinTable = [];
