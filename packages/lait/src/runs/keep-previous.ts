import { link, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '../files/make-directory.js';

/** Paths of a record, all on one file system. */
export interface RecordPaths {
  present: string;
  /** A second name of the present record while it is being replaced. */
  leaving: string;
  /** Where the record before the present one is. */
  previous: string;
}

/**
 * Replaces the present record, which becomes the previous one when the next has taken its place, for a file that is
 * damaged later on. Not before: what writes into the one must never reach the other. File systems without links keep
 * none: that is no reason to stop a run. Throws what `replace` throws. Source: field report FR-05.
 */
export async function keepPrevious(
  { present, leaving, previous }: RecordPaths,
  replace: () => Promise<void>,
): Promise<void> {
  // What a killed writer left there has the name, else.
  await link(present, leaving).catch(async () => {
    await rm(leaving, { force: true }).catch(() => {});
    await link(present, leaving).catch(() => {});
  });
  try {
    await replace();
  } catch (error) {
    await rm(leaving, { force: true }).catch(() => {});
    throw error;
  }
  try {
    await rename(leaving, previous).catch(async () => {
      await makeDirectory(dirname(previous), 0o700);
      await rename(leaving, previous);
    });
  } catch {
    await rm(previous, { force: true }).catch(() => {});
  }
}
