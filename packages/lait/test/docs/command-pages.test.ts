import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directoryWith } from '../cli/run-lait.js';
import { type Answer, says, startModelServer } from '../models/model-server.js';

const docs = fileURLToPath(new URL('../../../../docs/commands', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));

interface Example {
  command: string;
  /** What is shown below it; `[…]` stands for anything, alone on a line for any lines. */
  output: string;
}

function filesOf(page: string): Record<string, string> {
  const found = [...page.matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm)];
  return Object.fromEntries(found.map(([, name, text]) => [name!, text!]));
}

function examplesOf(page: string): Example[] {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const end = example.indexOf('\n');
        return { command: example.slice(0, end), output: example.slice(end + 1) };
      }),
  );
}

function patternOf(output: string): RegExp {
  const escaped = output.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/^\\\[…\\\]\n/gm, '(?:.*\\n)*?').replaceAll('\\[…\\]', '.*?')}$`);
}

/** Runs a command of a page in a shell, both streams together, as a person sees them. */
function execute(command: string, directory: string, bin: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', `{ ${command}\n} 2>&1`], {
      cwd: directory,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: join(directory, '..', 'no-home') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('close', () => resolve(output));
  });
}

const answer: Answer = says({
  content: 'because',
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
});

const pages = readdirSync(docs);

it.each(pages)('[docs.commands] docs/commands/%s shows what happens', async (name) => {
  const model = await startModelServer((response, request) => answer(response, request));
  const collector = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const collectorUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const local = (text: string) =>
    text
      .replaceAll('http://localhost:1234/v1', model.baseUrl)
      .replaceAll('http://localhost:4318', collectorUrl);

  const page = readFileSync(join(docs, name), 'utf8');
  const files = Object.entries(filesOf(page)).map(([file, text]) => [file, local(text)]);
  const directory = directoryWith(Object.fromEntries(files));
  const bin = directoryWith({ lait: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n` });
  chmodSync(join(bin, 'lait'), 0o755);
  try {
    for (const { command, output } of examplesOf(page)) {
      const seen = await execute(local(command), directory, bin);
      expect(seen, command).toMatch(patternOf(output));
    }
  } finally {
    collector.close();
  }
});
