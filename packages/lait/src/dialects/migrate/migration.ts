import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Node } from 'yaml';
import { LineIndex } from '../../plan/line-index.js';
import type { SourceFile, SourcePosition } from '../../plan/source.js';

/** Something that a person must look at, and where it stands in the version 1 file. */
export interface Decision {
  message: string;
  position?: SourcePosition;
}

export interface MigrateOptions {
  /** Where version 1 looked for agents and schemas. */
  workingDirectory: string;
  /** The directory of the file: version 2 looks for them there. */
  directory: string;
}

/** What the parts of one migration share. */
export class Migration {
  readonly decisions: Decision[] = [];
  readonly #lines: LineIndex;

  constructor(
    readonly source: SourceFile,
    readonly options: MigrateOptions,
    /** Names under `json_schemas:`. */
    readonly schemas: ReadonlySet<string>,
    /** Ids that templates and expressions read: `steps.<id>`. */
    readonly readIds: ReadonlySet<string>,
  ) {
    this.#lines = new LineIndex(source.text);
  }

  decide(place: Node | null | undefined, message: string): void {
    const [start, end] = place?.range ?? [];
    this.decisions.push({
      message,
      ...(start === undefined
        ? {}
        : { position: this.#lines.position(this.source.file, start, end ?? start) }),
    });
  }

  /**
   * A path that version 1 read from the working directory, as version 2 reads it from the directory of the file.
   * Undefined when the file is not there: then nobody knows what was meant.
   */
  fileRelative(written: string): string | undefined {
    const { workingDirectory, directory } = this.options;
    if (path.isAbsolute(written)) return written;
    const target = path.resolve(workingDirectory, written);
    if (!existsSync(target)) return undefined;
    const name = path.relative(directory, target).split(path.sep).join('/');
    return name.startsWith('../') ? name : `./${name}`;
  }
}
