import { agentKind } from './agent.js';
import { askKind } from './ask.js';
import { chatKind } from './chat.js';
import { decideKind } from './decide.js';
import { forEachKind } from './for-each.js';
import { groupKind } from './group.js';
import { jqKind } from './jq.js';
import type { Kind } from './kind.js';
import { untilKind, whileKind } from './loop.js';
import { parallelKind } from './parallel.js';
import { promptKind } from './prompt.js';
import { breakKind, stopKind } from './stop.js';
import { switchKind } from './switch.js';
import { toolCallKind } from './tool-call.js';
import { workflowKind } from './workflow.js';

/** Every kind there is, in the order in which documentation and schemas list them. A new kind is added here only. */
const list = [
  promptKind,
  agentKind,
  decideKind,
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
  toolCallKind,
  chatKind,
] as readonly Kind<never>[] as readonly Kind[];

/** The kinds by name. */
export const kinds: ReadonlyMap<string, Kind> = new Map(list.map((kind) => [kind.name, kind]));
