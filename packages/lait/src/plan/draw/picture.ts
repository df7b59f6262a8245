/** What a drawing of a plan shows, before it is written in any language. Texts are as their authors wrote them. */
export interface Picture {
  root: PictureGroup;
  edges: readonly PictureEdge[];
}

/** A frame around nodes: a loop's body, a branch, a handler, a child workflow. The outermost has no title. */
export interface PictureGroup {
  id: string;
  title: string;
  nodes: PictureNode[];
  groups: PictureGroup[];
}

/** `start`, `end` and `join` stand for no step; `junction` only gathers arrows. */
export type PictureShape =
  | 'action'
  | 'workflow'
  | 'control'
  | 'terminal'
  | 'start'
  | 'end'
  | 'join'
  | 'junction';

export interface PictureNode {
  /** Made of ASCII letters and digits, unique in the picture. */
  id: string;
  shape: PictureShape;
  /** From top to bottom; empty for a junction. */
  lines: readonly string[];
  /** How the step stands in the run that the picture shows. */
  state?: PictureState;
}

/** `waiting` is for somebody to do something about it. */
export type PictureState = 'running' | 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled';

/** Colours of states: the same in every language. */
export const stateColors: Readonly<Record<PictureState, { fill: string; line: string }>> = {
  running: { fill: '#d7e8ff', line: '#1a5fb4' },
  waiting: { fill: '#fff0c2', line: '#9a6700' },
  succeeded: { fill: '#d9f2dd', line: '#1a7f37' },
  failed: { fill: '#ffdad6', line: '#b3261e' },
  skipped: { fill: '#f2f2f2', line: '#8c8c8c' },
  cancelled: { fill: '#e6e0e9', line: '#625b71' },
};

/** `back` closes a loop, `skip` passes a step whose `when` does not hold, `error` leads to what handles a failure. */
export type EdgeStyle = 'normal' | 'back' | 'skip' | 'error';

export interface PictureEdge {
  from: string;
  to: string;
  style: EdgeStyle;
  label?: string;
}
