import { describe, expect, it } from 'vitest';
import { parseProcessStatus, treeOf } from '../../src/tools/process-table.js';
import { treeKillCommand } from '../../src/tools/process-tree.js';

const status = (pid: number, name: string, state: string, parent: number, group: number) =>
  `${pid} (${name}) ${state} ${parent} ${group} ${group} 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1 1\n`;

describe('the process table', () => {
  it('reads names that look like the rest of the line', () => {
    expect(parseProcessStatus(status(12, 'a) S 1 1 (b', 'S', 7, 9))).toEqual({
      pid: 12,
      parent: 7,
      group: 9,
      startTime: '777',
    });
  });

  it('leaves out zombies and nonsense', () => {
    expect(parseProcessStatus(status(12, 'z', 'Z', 7, 9))).toBeUndefined();
    expect(parseProcessStatus('nonsense')).toBeUndefined();
  });

  it('finds the group, the descendants, and descendants of orphans in the group', () => {
    const entry = (pid: number, parent: number, group: number) => ({ pid, parent, group, startTime: '' });
    const table = [
      entry(50, 21, 50), // left the group, child of an orphan
      entry(10, 1, 10), // the leader
      entry(20, 10, 20), // left the group
      entry(21, 1, 10), // orphan in the group
      entry(30, 1, 30), // a stranger
      entry(31, 30, 30),
    ];
    expect(treeOf(table, 10).map(({ pid }) => pid)).toEqual([50, 10, 20, 21]);
  });

  it('knows the command of Windows', () => {
    expect(treeKillCommand(42)).toEqual(['taskkill', '/PID', '42', '/T', '/F']);
  });
});
