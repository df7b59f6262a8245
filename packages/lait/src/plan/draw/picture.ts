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
}

/** `back` closes a loop, `skip` passes a step whose `when` does not hold, `error` leads to what handles a failure. */
export type EdgeStyle = 'normal' | 'back' | 'skip' | 'error';

export interface PictureEdge {
  from: string;
  to: string;
  style: EdgeStyle;
  label?: string;
}
