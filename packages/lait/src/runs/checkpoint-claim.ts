import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../errors/errors.js';
import { makeDirectory } from '../files/make-directory.js';
import { unwritable } from '../files/unwritable.js';
import { isObject } from '../values/value.js';
import { mayBeAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';

interface Claim extends ProcessIdentity {
  claimed_at: string;
  released?: true;
}

/**
 * The right to continue a run, held by one process at a time. Claims of a run are numbered files, and a number is never
 * used twice: two processes that both find the last holder dead race for the same next number, and the file system
 * lets exactly one of them create it. Source: field report FR-02.
 */
export class CheckpointClaim {
  private constructor(
    private readonly path: string,
    private readonly claim: Claim,
  ) {}

  /** Claims a run. Throws a `UsageError` (code `run_in_use`) that names the holder when another process has it. */
  static async take(directory: string, runId: string): Promise<CheckpointClaim> {
    const claim: Claim = { ...ownIdentity(), claimed_at: new Date().toISOString() };
    await makeDirectory(directory, 0o700).catch((error: unknown) => {
      throw unwritable(directory, error);
    });
    for (;;) {
      const { number, holder } = await lastClaim(directory, runId);
      if (holder !== undefined && isHeld(holder)) throw inUse(runId, holder);
      const path = claimPath(directory, runId, number + 1);
      if (await createWhole(path, JSON.stringify(claim))) {
        // While this process looked away, others may have gone on and removed the number: the last one counts.
        if (Math.max(...(await claimNumbers(directory, runId))) === number + 1) {
          await removeEarlier(directory, runId, number + 1);
          return new CheckpointClaim(path, claim);
        }
        await rm(path, { force: true });
      }
    }
  }

  /** Lets others continue the run. The number stays taken. */
  async release(): Promise<void> {
    await writeFile(this.path, JSON.stringify({ ...this.claim, released: true })).catch(() => {});
  }
}

/** Who works on a run now, as far as its claims say. */
export async function claimHolder(directory: string, runId: string): Promise<ProcessIdentity | undefined> {
  const { holder } = await lastClaim(directory, runId);
  return holder !== undefined && isHeld(holder) ? holder : undefined;
}

/** Removes every claim of a run that is removed itself. */
export async function removeClaims(directory: string, runId: string): Promise<void> {
  await removeEarlier(directory, runId, Number.POSITIVE_INFINITY);
}

function isHeld(claim: Claim): boolean {
  return claim.released !== true && mayBeAlive(claim);
}

async function lastClaim(directory: string, runId: string): Promise<{ number: number; holder?: Claim }> {
  for (;;) {
    const number = Math.max(0, ...(await claimNumbers(directory, runId)));
    if (number === 0) return { number };
    try {
      const claim: unknown = JSON.parse(await readFile(claimPath(directory, runId, number), 'utf8'));
      // Claims appear whole; what is no claim was damaged later and holds nothing.
      if (isObject(claim) && typeof claim.pid === 'number' && typeof claim.host === 'string') {
        return { number, holder: claim as unknown as Claim };
      }
      return { number };
    } catch (error) {
      // Another process has just moved on to the next number.
      if ((error as { code?: string }).code !== 'ENOENT') return { number };
    }
  }
}

async function claimNumbers(directory: string, runId: string): Promise<number[]> {
  const names = await readdir(directory).catch(() => [] as string[]);
  return names
    .filter((name) => name.startsWith(`${runId}.`) && name.endsWith('.json'))
    .map((name) => Number(name.slice(runId.length + 1, -'.json'.length)))
    .filter((number) => Number.isSafeInteger(number) && number > 0);
}

async function removeEarlier(directory: string, runId: string, number: number): Promise<void> {
  for (const earlier of await claimNumbers(directory, runId)) {
    if (earlier < number) await rm(claimPath(directory, runId, earlier), { force: true });
  }
}

function claimPath(directory: string, runId: string, number: number): string {
  return join(directory, `${runId}.${number}.json`);
}

/** Creates a file with its content at once; false when the name is taken. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await link(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EEXIST') return false;
    // File systems without hard links: the name is exclusive, the content follows at once.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') return createPlain(path, content);
    throw unwritable(path, error);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function createPlain(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw unwritable(path, error);
  }
}

function inUse(runId: string, { pid, host, claimed_at }: Claim): UsageError {
  const own = host === ownIdentity().host;
  return new UsageError({
    code: 'run_in_use',
    message: `run '${runId}' is already being continued by process ${pid}${own ? '' : ` on ${host}`} since ${claimed_at}; nothing was started. \`lait runs show ${runId}\` shows how far it is`,
    details: { run_id: runId, pid, host, claimed_at },
  });
}
