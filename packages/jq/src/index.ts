export type { Reference } from './analysis/references.js';
export { listBuiltins } from './builtins/registry.js';
export { type LazyObject, lazy, lazyObject, type VariableValue } from './compile/globals.js';
export {
  type CompileErrorCode,
  JqCompileError,
  JqError,
  JqRuntimeError,
  type RuntimeErrorCode,
} from './errors.js';
export { defaultLimits, type Limits } from './limits.js';
export { type CompileOptions, compile, type Program, type RunOptions, type Variables } from './program.js';
export type * from './syntax/ast.js';
export type { Range } from './syntax/range.js';
export type { JsonArray, JsonObject, JsonValue } from './values/json.js';
