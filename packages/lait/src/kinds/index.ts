import { askKind } from './ask.js';
import { forEachKind } from './for-each.js';
import { groupKind } from './group.js';
import { jqKind } from './jq.js';
import type { Kind } from './kind.js';
import { untilKind, whileKind } from './loop.js';
import { parallelKind } from './parallel.js';
import { breakKind, stopKind } from './stop.js';
import { switchKind } from './switch.js';
import { workflowKind } from './workflow.js';

/** Every kind there is, in the order in which documentation and schemas list them. A new kind is added here only. */
const list = [
  jqKind,
  askKind,
  workflowKind,
  groupKind,
  switchKind,
  parallelKind,
  forEachKind,
  whileKind,
  untilKind,
  stopKind,
  breakKind,
] as readonly Kind<never>[] as readonly Kind[];

/** The kinds by name. */
export const kinds: ReadonlyMap<string, Kind> = new Map(list.map((kind) => [kind.name, kind]));
