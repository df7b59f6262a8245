/** A place in a source file. `line` and `column` count from 1; `start` and `end` are character offsets. */
export interface SourcePosition {
  file: string;
  line: number;
  column: number;
  start: number;
  end: number;
}

/** A file that a plan was lowered from; runs pin the digest. */
export interface SourceFile {
  /** The path as the user gave it, or a name such as `<definition>` for values handed over by a program. */
  file: string;
  text: string;
}
