import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandList } from '../../src/cli/command-list.js';
import { exitCodes } from '../../src/cli/exit-codes.js';
import { configDefaultFields, configFields } from '../../src/config/config-fields.js';
import { parseDotenv } from '../../src/config/dotenv.js';
import { readConfiguration } from '../../src/config/read-configuration.js';

const page = (name: string) => readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8');
const blocks = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1]!);

test('the page of the configuration names every key, and its examples can be read', () => {
  const text = page('configuration');
  for (const key of [...Object.keys(configFields), ...Object.keys(configDefaultFields)]) {
    expect([key, text.includes(`\`${key}\``)]).toEqual([key, true]);
  }
  for (const example of blocks(text, 'yaml')) {
    expect(() => readConfiguration({ file: 'docs', text: example }, '/')).not.toThrow();
  }
  for (const example of blocks(text, 'sh'))
    expect({ ...parseDotenv(example, '.env') }).toHaveProperty('GREETING');
});

test('the page of the command line names every command and every exit code', () => {
  const text = page('command-line');
  for (const [name, { hidden }] of Object.entries(commandList)) {
    if (hidden !== true) expect([name, text.includes(`lait ${name}`)]).toEqual([name, true]);
  }
  for (const code of Object.values(exitCodes)) expect(text).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'));
});
