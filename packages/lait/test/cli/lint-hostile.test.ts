import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryWith, lait } from './run-lait.js';

test('lint of a hostile tree ends, names what cannot be read, and does not steer the terminal', async () => {
  const directory = directoryWith({
    'tree/good\u001b[31m.yml': 'steps:\n  - jq: .\n',
    'tree/two\nlines\u001b[31m.yml': 'steps:\n  - "j\\e[31mqq": .\n',
    'tree/large.yml': '',
    'tree/large.json': '',
  });
  const tree = join(directory, 'tree');
  truncateSync(join(tree, 'large.yml'), 100 * 1024 * 1024);
  truncateSync(join(tree, 'large.json'), 100 * 1024 * 1024);
  writeFileSync(join(directory, 'picture.png'), Buffer.from('\xff\xd8', 'latin1'));
  writeFileSync(join(tree, 'bytes.yml'), Buffer.from('steps:\n  - jq: "\xff"\n', 'latin1'));
  symlinkSync('.', join(tree, 'loop'));
  symlinkSync('nowhere', join(tree, 'dangling.yml'));
  execFileSync('mkfifo', [join(tree, 'pipe.yml'), join(tree, 'pipe.md')]);
  mkdirSync(join(tree, 'directory.yml'));
  for (let index = 0; index < 2000; index += 1) writeFileSync(join(tree, `data-${index}.json`), '{}');
  const socket = createServer().listen(join(tree, 'socket.yml'));
  try {
    const { code, stdout } = await lait(directory, ['lint', 'tree']);
    expect(code).toBe(3);
    expect(stdout).toContain('tree/good\\x1b[31m.yml: OK\n');
    expect(stdout).toContain('tree/two\\nlines\\x1b[31m.yml:2:5: error[no_kind]');
    expect(stdout).toContain('tree/large.yml is larger than 16 MiB');
    expect(stdout).toContain('tree/bytes.yml is not valid UTF-8');
    expect((await lait(directory, ['lint', 'picture.png'])).stdout).toContain('error[file_extension]');
    for (const format of ['text', 'json', 'github', 'sarif']) {
      const shown = await lait(directory, ['lint', 'tree', '--format', format]);
      expect([format, shown.code]).toEqual([format, 3]);
      expect(shown.stdout + shown.stderr).not.toContain('\u001b');
    }
  } finally {
    socket.close();
  }
});
