import path from 'node:path';
import { DefinitionError } from '../../errors/errors.js';
import { ExpressionSyntaxError } from '../../expressions/syntax-error.js';
import { compileTemplate } from '../../expressions/template.js';
import type { ReadFileOptions } from '../../files/read-file.js';
import type { AgentPlan } from '../../plan/agent.js';
import type { Diagnostic } from '../../plan/diagnostic.js';
import { ExpressionOrigins } from '../../plan/expression-origins.js';
import { Problems } from '../../plan/problems.js';
import { readSourceFile } from '../../plan/read-source.js';
import type { SourceFile } from '../../plan/source.js';
import { readYaml } from '../../plan/yaml/read-yaml.js';
import { plainLineEnds } from '../../values/line-ends.js';
import { agentPlan } from './compile-agent.js';
import { FieldCompiler } from './compile-fields.js';
import { unknownName } from './compile-scalar.js';
import { successorOf } from './version-1.js';
import { agentFileFields } from './workflow-fields.js';

export interface LoadedAgent {
  /** Absent when there are errors. */
  agent?: AgentPlan;
  diagnostics: Diagnostic[];
  origins: ExpressionOrigins;
}

/** Reads an agent Markdown file. Throws a `DefinitionError` that holds every problem. */
export async function readAgentFile(file: string, options: ReadFileOptions = {}): Promise<AgentPlan> {
  return agentOfSource(await readSourceFile(file, options));
}

/** The agent of a text that was read. Throws a `DefinitionError` that holds every problem. */
export function agentOfSource(source: SourceFile): AgentPlan {
  const { agent, diagnostics } = loadAgent(source);
  if (agent !== undefined) return agent;
  throw new DefinitionError({
    code: 'definition_invalid',
    message: `the agent file ${source.file} has ${diagnostics.length === 1 ? 'a problem' : 'problems'}`,
    diagnostics,
    sources: [source],
  });
}

/**
 * Checks and compiles an agent file: `---`, fields, `---`, then the system prompt, whose trailing line breaks do not
 * count. Schema files are relative to the agent file. Source: steps seed, `agent`; facts §10.
 */
export function loadAgent(source: SourceFile): LoadedAgent {
  const problems = new Problems(source);
  const origins = new ExpressionOrigins();
  const parts = split(source.text);
  if (parts === undefined) {
    problems.add({
      code: 'agent_without_frontmatter',
      message: 'an agent file starts with `---`, fields and `---`; the system prompt follows',
      range: { start: 0, end: Math.max(0, source.text.indexOf('\n')) },
    });
    return { diagnostics: problems.list(), origins };
  }
  const compiler = new FieldCompiler({
    problems,
    origins,
    directory: path.dirname(path.resolve(source.file)),
  });
  const fields = readFields(parts.fields, compiler, problems) ?? {};
  const system = compileBody(source.text, parts.body, problems, origins);
  if (problems.errors > 0 || system === undefined) return { diagnostics: problems.list(), origins };
  return {
    agent: { ...agentPlan(fields, system), source },
    diagnostics: problems.list(),
    origins,
  };
}

interface Part {
  start: number;
  end: number;
}

function split(text: string): { fields: Part; body: Part } | undefined {
  const open = /^---[ \t]*(?:\r?\n|$)/.exec(text);
  if (open === null) return undefined;
  const close = /^---[ \t]*(?:\r?\n|$)/m;
  const start = open[0].length;
  const found = close.exec(text.slice(start));
  if (found === null) return undefined;
  const end = start + found.index;
  const body = end + found[0].length;
  return {
    fields: { start, end },
    body: { start: body, end: body + text.slice(body).replace(/[\r\n]+$/, '').length },
  };
}

/** The text before the fields is blanked out, so that places in the fields are places in the file. */
function readFields({ start, end }: Part, compiler: FieldCompiler, problems: Problems) {
  const { text } = problems.source;
  const lines = text.slice(start, end).split('\n');
  if (lines.every((line) => /^\s*(?:#|$)/.test(line))) return {};
  const node = readYaml(problems, `${' '.repeat(start - 1)}\n${text.slice(start, end)}`);
  if (node === undefined) return undefined;
  return compiler.table(
    node,
    agentFileFields,
    { field: '', block: '' },
    {
      what: 'an agent file',
      unknown: (key) =>
        key === 'system' ? 'the text below the second `---` is the system prompt' : successorOf(key),
    },
  );
}

function compileBody(text: string, { start, end }: Part, problems: Problems, origins: ExpressionOrigins) {
  const plain = plainLineEnds(text.slice(start, end));
  const place = (from: number, to: number) => ({
    start: start + plain.offset(from),
    end: start + plain.offset(to),
  });
  if (text.slice(start, end).trim() === '') {
    const fence = text.lastIndexOf('---', start);
    const message = 'an agent file needs a system prompt: write it below the second `---`';
    problems.add({ code: 'missing_field', message, range: { start: fence, end: fence + 3 } });
    return undefined;
  }
  try {
    const system = compileTemplate(plain.text);
    origins.set(system, (from, to) => problems.position(place(from, to)));
    return system;
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const message = `system prompt: ${error.message}`;
    problems.add({
      code: 'template_syntax',
      message,
      hint: unknownName(error),
      range: place(error.start, error.end),
    });
    return undefined;
  }
}
