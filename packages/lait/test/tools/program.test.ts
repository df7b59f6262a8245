import { describe, expect, it } from 'vitest';
import { isPath, locateProgram } from '../../src/tools/program.js';
import { readVariable } from '../../src/values/read-variable.js';

const having =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe('finding a program', () => {
  const posix = { directory: '/base', platform: 'linux' } as const;

  it('searches PATH in order, empty entries meaning the base directory', () => {
    const environment = { PATH: '/a::/b' };
    const find = (...files: string[]) =>
      locateProgram('x', { ...posix, environment, isProgram: having(...files) });
    expect(find('/b/x', '/a/x')).toBe('/a/x');
    expect(find('/b/x', '/base/x')).toBe('/base/x');
    expect(find('/c/x')).toBeUndefined();
  });

  it('resolves paths from the base directory and does not search for them', () => {
    const environment = { PATH: '/a' };
    expect(locateProgram('bin/x', { ...posix, environment, isProgram: having('/base/bin/x') })).toBe(
      '/base/bin/x',
    );
    expect(locateProgram('bin/x', { ...posix, environment, isProgram: having('/a/bin/x') })).toBeUndefined();
  });

  it('finds no bare name without PATH, not even an inherited one', () => {
    const environment = Object.create({ PATH: '/a' }) as Record<string, string>;
    expect(locateProgram('x', { ...posix, environment, isProgram: () => true })).toBeUndefined();
  });

  it('tries the endings of PATHEXT on Windows', () => {
    const windows = {
      directory: 'C:\\base',
      platform: 'win32',
      environment: { Path: 'C:\\bin;D:\\tools', PATHEXT: '.EXE;.CMD' },
    } as const;
    expect(locateProgram('npx', { ...windows, isProgram: having('D:\\tools\\npx.cmd') })).toBe(
      'D:\\tools\\npx.cmd',
    );
    expect(locateProgram('a.exe', { ...windows, isProgram: having('C:\\bin\\a.exe') })).toBe(
      'C:\\bin\\a.exe',
    );
    expect(locateProgram('.\\a', { ...windows, isProgram: having('C:\\base\\a.exe') })).toBe(
      'C:\\base\\a.exe',
    );
  });

  it('tells paths from names by platform', () => {
    expect([
      isPath('a/b', 'linux'),
      isPath('a\\b', 'linux'),
      isPath('a\\b', 'win32'),
      isPath('c:x', 'win32'),
    ]).toEqual([true, false, true, true]);
    expect(readVariable({ Path: 'p' }, 'PATH', 'win32')).toBe('p');
    expect(readVariable({ Path: 'p' }, 'PATH', 'linux')).toBeUndefined();
  });
});
