import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)) && !/\/(fixtures|suites)\//.test(file));

/** The text outside code: links in code are none. */
const prose = (text: string) => text.replace(/^(```+)[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '`…`');

/** What GitHub and the documentation site make of a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{Letter}\p{Number}\p{Mark}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8').replace(/^(```+)[\s\S]*?^\1$/gm, '');
  return new Set([...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading!)));
}

function problemsOf(file: string): string[] {
  const links = [...prose(readFileSync(join(root, file), 'utf8')).matchAll(/\]\(([^()\s]+)\)/g)];
  return links.flatMap(([, link]) => {
    if (/^(https?|mailto):/.test(link!)) return URL.canParse(link!) ? [] : [`${link}: no address`];
    const [path = '', anchor] = link!.split('#');
    const target = path === '' ? join(root, file) : join(root, dirname(file), decodeURI(path));
    if (!existsSync(target)) return [`${link}: there is no ${relative(root, target)}`];
    if (anchor === undefined || statSync(target).isDirectory()) return [];
    return anchorsOf(target).has(anchor) ? [] : [`${link}: there is no such heading`];
  });
}

it('finds the Markdown files', () => {
  expect(files).toContain('README.md');
});

it.each(files)('[docs.links] %s links to what is there', (file) => {
  expect(problemsOf(file)).toEqual([]);
});
