import type { CodePointTest } from './char-set.js';

export type AnchorKind =
  | 'text-start'
  | 'text-end'
  | 'text-end-or-newline'
  | 'line-start'
  | 'line-end'
  | 'word-boundary'
  | 'not-word-boundary'
  | 'search-start';

/** A node of a parsed regular expression. */
export type RegexNode =
  | { readonly type: 'empty' }
  | { readonly type: 'character'; readonly code: number }
  | { readonly type: 'set'; readonly test: CodePointTest }
  | { readonly type: 'anchor'; readonly kind: AnchorKind }
  | { readonly type: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly type: 'choice'; readonly options: readonly RegexNode[] }
  | {
      readonly type: 'repeat';
      readonly body: RegexNode;
      readonly minimum: number;
      readonly maximum: number;
      readonly mode: 'greedy' | 'lazy' | 'possessive';
    }
  | { readonly type: 'group'; readonly index: number; readonly body: RegexNode }
  | { readonly type: 'atomic'; readonly body: RegexNode }
  | { readonly type: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: RegexNode }
  | { readonly type: 'reference'; readonly groups: readonly number[]; readonly ignoreCase: boolean }
  | { readonly type: 'keep' };

/** A parsed pattern. Group names by position from 1; unnamed groups are null. */
export interface RegexTree {
  readonly root: RegexNode;
  readonly groupNames: readonly (string | null)[];
}

/** What is wrong with a pattern. */
export class RegexSyntaxError extends Error {}
