import type { JsonValue } from '../values/json.js';
import type { Range } from './range.js';

interface Positioned {
  readonly range: Range;
}

/** `.` */
export interface Identity extends Positioned {
  readonly type: 'identity';
}
/** `..` */
export interface RecurseDefault extends Positioned {
  readonly type: 'recurse';
}
/** A constant: a number, a string without interpolation, or a folded `true`, `false`, `null`. */
export interface Literal extends Positioned {
  readonly type: 'literal';
  readonly value: JsonValue;
  /** For numbers: the text as written, which may have more digits than the value. */
  readonly text?: string;
}
/** `"…\(x)…"`, with `format` when written as `@name "…"`. */
export interface StringTemplate extends Positioned {
  readonly type: 'template';
  readonly format: string | null;
  readonly parts: readonly (string | Node)[];
}
/** `@name` on its own. */
export interface Format extends Positioned {
  readonly type: 'format';
  readonly name: string;
}
/** `.name`, `."name"`, `.[key]` */
export interface Index extends Positioned {
  readonly type: 'index';
  readonly target: Node;
  readonly key: Node;
}
/** `.[from:to]` */
export interface Slice extends Positioned {
  readonly type: 'slice';
  readonly target: Node;
  readonly from: Node | null;
  readonly to: Node | null;
}
/** `.[]` */
export interface Iterate extends Positioned {
  readonly type: 'iterate';
  readonly target: Node;
}
/** `[…]`, `body` is null for `[]`. */
export interface ArrayConstruction extends Positioned {
  readonly type: 'array';
  readonly body: Node | null;
}
/** One `key: value` of an object construction; without a value, the input's own value of that key. */
export interface ObjectEntry {
  readonly key: Node;
  readonly value: Node | null;
}
export interface ObjectConstruction extends Positioned {
  readonly type: 'object';
  readonly entries: readonly ObjectEntry[];
}
/** `-x` */
export interface Negate extends Positioned {
  readonly type: 'negate';
  readonly operand: Node;
}
/** `a | b | c`, flattened. */
export interface Pipe extends Positioned {
  readonly type: 'pipe';
  readonly stages: readonly Node[];
}
/** `a, b, c`, flattened. */
export interface Comma extends Positioned {
  readonly type: 'comma';
  readonly items: readonly Node[];
}
export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=';
export interface Binary extends Positioned {
  readonly type: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Node;
  readonly right: Node;
}
export interface Logical extends Positioned {
  readonly type: 'logical';
  readonly operator: 'and' | 'or';
  readonly left: Node;
  readonly right: Node;
}
/** `a // b` */
export interface Alternative extends Positioned {
  readonly type: 'alternative';
  readonly left: Node;
  readonly right: Node;
}
export type AssignmentOperator = '=' | '|=' | '+=' | '-=' | '*=' | '/=' | '%=' | '//=';
export interface Assignment extends Positioned {
  readonly type: 'assignment';
  readonly operator: AssignmentOperator;
  readonly target: Node;
  readonly value: Node;
}
/** `if … then … elif … else … end`; a missing `else` is null. */
export interface If extends Positioned {
  readonly type: 'if';
  readonly branches: readonly { readonly condition: Node; readonly then: Node }[];
  readonly otherwise: Node | null;
}
/** `try body catch handler`, `try body` and `body?` (handler null). */
export interface Try extends Positioned {
  readonly type: 'try';
  readonly body: Node;
  readonly handler: Node | null;
  /** `target.name?`, `target[key]?`, `target[]?`: only the access itself may fail, not its target and keys. */
  readonly accessOnly: boolean;
}
export interface Reduce extends Positioned {
  readonly type: 'reduce';
  readonly source: Node;
  readonly patterns: readonly Pattern[];
  readonly init: Node;
  readonly update: Node;
}
export interface Foreach extends Positioned {
  readonly type: 'foreach';
  readonly source: Node;
  readonly patterns: readonly Pattern[];
  readonly init: Node;
  readonly update: Node;
  readonly extract: Node | null;
}
/** `source as patterns | body`; more than one pattern means `?//`. */
export interface As extends Positioned {
  readonly type: 'as';
  readonly source: Node;
  readonly patterns: readonly Pattern[];
  readonly body: Node;
}
export interface Label extends Positioned {
  readonly type: 'label';
  readonly name: string;
  readonly body: Node;
}
export interface Break extends Positioned {
  readonly type: 'break';
  readonly name: string;
}
export interface FunctionDefinition extends Positioned {
  readonly name: string;
  /** Parameter names; those written `$name` have `value` set. */
  readonly parameters: readonly { readonly name: string; readonly value: boolean }[];
  readonly body: Node;
}
/** `def …; body` */
export interface Def extends Positioned {
  readonly type: 'def';
  readonly definition: FunctionDefinition;
  readonly body: Node;
}
export interface Call extends Positioned {
  readonly type: 'call';
  readonly name: string;
  readonly arguments: readonly Node[];
}
/** `$name` (without the sign) */
export interface Variable extends Positioned {
  readonly type: 'variable';
  readonly name: string;
}

/** A node of the syntax tree. Every node knows its place in the source. */
export type Node =
  | Identity
  | RecurseDefault
  | Literal
  | StringTemplate
  | Format
  | Index
  | Slice
  | Iterate
  | ArrayConstruction
  | ObjectConstruction
  | Negate
  | Pipe
  | Comma
  | Binary
  | Logical
  | Alternative
  | Assignment
  | If
  | Try
  | Reduce
  | Foreach
  | As
  | Label
  | Break
  | Def
  | Call
  | Variable;

/** What stands between `as` and `|`. */
export type Pattern =
  | (Positioned & { readonly type: 'variable'; readonly name: string })
  | (Positioned & { readonly type: 'array'; readonly items: readonly Pattern[] })
  | (Positioned & { readonly type: 'object'; readonly entries: readonly PatternEntry[] });

/** `key: pattern`, `$name`, or `$name: pattern` of an object pattern. */
export interface PatternEntry {
  readonly key: Node;
  readonly variable: string | null;
  readonly pattern: Pattern | null;
}
