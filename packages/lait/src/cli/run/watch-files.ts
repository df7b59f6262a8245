import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** How often files are looked at. Looking works everywhere: for every editor, file system and container. */
const everyMilliseconds = 250;

export type FileState = ReadonlyMap<string, string>;

/** What tells two contents of a file apart, for each file; absent files count, too. */
export async function lookAtFiles(files: Iterable<string>): Promise<FileState> {
  const states = new Map<string, string>();
  for (const file of files) {
    const about = await stat(file).catch(() => undefined);
    states.set(file, about === undefined ? 'absent' : `${about.mtimeMs} ${about.size} ${about.ino}`);
  }
  return states;
}

/** Waits until one of the files is no longer as it was; gives back those that changed. Throws when aborted. */
export async function waitForChange(before: FileState, signal: AbortSignal): Promise<string[]> {
  for (;;) {
    await delay(everyMilliseconds, undefined, { signal });
    const changed = differences(before, await lookAtFiles(before.keys()));
    if (changed.length === 0) continue;
    // An editor may write in several steps: wait until it has finished.
    for (let seen = await lookAtFiles(before.keys()); ; ) {
      await delay(everyMilliseconds / 2, undefined, { signal });
      const now = await lookAtFiles(before.keys());
      if (differences(seen, now).length === 0) return differences(before, now);
      seen = now;
    }
  }
}

function differences(before: FileState, now: FileState): string[] {
  return [...before.keys()].filter((file) => before.get(file) !== now.get(file));
}
