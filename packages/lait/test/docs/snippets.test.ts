import { spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkConfiguration } from '../../src/config/read-configuration.js';
import { loadStepsWorkflow } from '../../src/dialects/steps/load-workflow.js';
import { directoryWith } from '../cli/run-lait.js';
import { type Answer, json, says, startModelServer } from '../models/model-server.js';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const launcher = fileURLToPath(new URL('../../bin/lait.js', import.meta.url));
const require = createRequire(import.meta.url);

interface Snippet {
  language: string;
  title?: string;
  text: string;
}

function snippetsOf(page: string): Snippet[] {
  const text = readFileSync(join(docs, page), 'utf8');
  return [...text.matchAll(/^```(\w+)(?: title="([^"]+)")?\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1]!,
    ...(match[2] === undefined ? {} : { title: match[2] }),
    text: match[3]!,
  }));
}

/** Answers what the pages ask: calls each offered tool that it may call once, then says something that fits. */
const obliging: Answer = (response, request) => {
  const { tools = [], messages = [] } = request.body as {
    tools?: { function: { name: string; parameters: { required?: string[] } } }[];
    messages?: { role: string; content: string }[];
  };
  if (request.path.endsWith('/systemone')) {
    const answers = { team: { type: 'choice', choice: 'sales' }, urgent: { type: 'noul', noul: 0.5 } };
    return json({ model: 'jev', answers })(response, request);
  }
  if (request.path.endsWith('/models')) return json({ data: [{ id: 'local-model' }] })(response, request);
  const called = messages.some(({ role }) => role === 'tool');
  if (tools.length > 0 && !called) {
    const allowed = tools.filter(
      ({ function: { name } }) => !name.startsWith('files__') || name.endsWith('list_directory'),
    );
    const calls = allowed.map(({ function: { name, parameters } }, index) => ({
      id: `c${index}`,
      type: 'function',
      function: {
        name,
        arguments: JSON.stringify(Object.fromEntries((parameters.required ?? []).map((key) => [key, '.']))),
      },
    }));
    return says({ tool_calls: calls })(response, request);
  }
  return says(request.text.includes('pay within') ? 'invoice' : 'other things')(response, request);
};

/** `npx -y PACKAGE ARGUMENTS` with what is installed here, so that nothing is downloaded. */
const npx = () => {
  const server = require.resolve('@modelcontextprotocol/server-filesystem/package.json');
  return `#!/bin/sh\nshift 2\nexec ${process.execPath} ${join(dirname(server), 'dist', 'index.js')} "$@"\n`;
};

function execute(
  command: string,
  directory: string,
  bin: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      cwd: directory,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: directory },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('close', (code) => resolve({ code, output }));
  });
}

const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));

describe.each(pages)('docs/%s', (page) => {
  const snippets = snippetsOf(page);
  const commands = snippets
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n').filter((line) => /(^|\| )lait /.test(line)));

  it('shows definitions that are right', () => {
    for (const { language, title, text } of snippets) {
      if (language !== 'yaml') continue;
      const source = { file: title ?? 'snippet.yml', text };
      const isConfiguration = title === 'lait.config.yml' || text.startsWith('# lait.config.yml');
      if (isConfiguration) expect(checkConfiguration(source, docs).problems.list()).toEqual([]);
      else if (/^steps:/m.test(text)) expect(loadStepsWorkflow(source).diagnostics).toEqual([]);
    }
  });

  // Commands belong to the files beside them; a page without files only shows what can be written.
  const isRunnable = commands.length > 0 && snippets.some(({ title }) => title !== undefined);

  it.runIf(isRunnable)('[docs.snippets] shows commands that work', { timeout: 120_000 }, async () => {
    const server = await startModelServer(obliging);
    const files = snippets.flatMap(({ title, text }) =>
      title === undefined
        ? []
        : [[title, text.replaceAll('http://localhost:1234/v1', server.baseUrl)] as const],
    );
    const directory = directoryWith(Object.fromEntries(files));
    const bin = directoryWith({
      lait: `#!/bin/sh\nexec ${process.execPath} ${launcher} "$@"\n`,
      npx: npx(),
    });
    for (const name of ['lait', 'npx']) chmodSync(join(bin, name), 0o755);
    // A page may look at the history of its own directory.
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho "abc123 A change"\n', { mode: 0o755 });
    for (const command of commands) {
      const { code, output } = await execute(command, directory, bin);
      expect([command, code, output]).toEqual([command, 0, output]);
    }
    const usesModel = commands.some((command) => !/lait (lint|skill|doctor)/.test(command));
    expect(server.requests.length > 0).toBe(usesModel);
  });
});
