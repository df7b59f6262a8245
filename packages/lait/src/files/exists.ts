import { stat } from 'node:fs/promises';

/** Whether something is there. What cannot be looked at for another reason than absence counts: reading it says why. */
export async function exists(path: string): Promise<boolean> {
  if (path.includes('\0')) return false;
  try {
    await stat(path);
    return true;
  } catch (error) {
    const { code } = error as { code?: string };
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
