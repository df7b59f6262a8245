import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import type { ExitCode } from './exit-codes.js';

/** Runs a command's work with its context; without an exit code it went well. */
export type Start = (work: (context: CommandContext) => Promise<ExitCode | undefined>) => Promise<void>;

/** A command's file: declares arguments, options, help and examples, and imports its work when it runs. */
export interface CommandModule {
  configure(command: Command, start: Start): void;
}

interface ListedCommand {
  summary: string;
  /** Not shown in help: programs call it. */
  hidden?: true;
  load: () => Promise<CommandModule>;
}

/** Every command. Only the one that was asked for is loaded; the others need no more than their summary. */
export const commandList: Readonly<Record<string, ListedCommand>> = {
  run: { summary: 'run a workflow', load: () => import('./commands/run.js') },
  chat: { summary: 'ask a model, or talk with it', load: () => import('./commands/chat.js') },
  compare: {
    summary: 'ask several models the same',
    load: () => import('./commands/compare.js'),
  },
  lint: {
    summary: 'check workflow, agent and configuration files',
    load: () => import('./commands/lint.js'),
  },
  test: { summary: 'run tests against recorded replies', load: () => import('./commands/test.js') },
  eval: { summary: 'score cases against the live model', load: () => import('./commands/eval.js') },
  decide: { summary: 'ask a decision server typed questions', load: () => import('./commands/decide.js') },
  serve: {
    summary: 'serve runs and workflows over HTTP, or as MCP tools',
    load: () => import('./commands/serve.js'),
  },
  tokens: {
    summary: 'make, list or revoke tokens of the server',
    load: () => import('./commands/tokens.js'),
  },
  backup: { summary: 'copy the database of the server', load: () => import('./commands/backup.js') },
  restore: { summary: 'put a backup in its place', load: () => import('./commands/restore.js') },
  graph: { summary: 'draw a workflow', load: () => import('./commands/graph.js') },
  convert: {
    summary: 'translate a workflow to another form',
    load: () => import('./commands/convert.js'),
  },
  migrate: {
    summary: 'rewrite a version 1 workflow as version 2',
    load: () => import('./commands/migrate.js'),
  },
  runs: { summary: 'list, show, continue or remove recorded runs', load: () => import('./commands/runs.js') },
  trace: { summary: 'show or export a trace file', load: () => import('./commands/trace.js') },
  explain: { summary: 'explain a diagnostic code', load: () => import('./commands/explain.js') },
  schema: { summary: 'print a JSON Schema for editors', load: () => import('./commands/schema.js') },
  init: {
    summary: 'write a configuration, workflow, agent or test to start from',
    load: () => import('./commands/init.js'),
  },
  models: {
    summary: 'list model aliases, or what the server offers',
    load: () => import('./commands/models.js'),
  },
  doctor: {
    summary: 'check configuration, servers and registered files',
    load: () => import('./commands/doctor.js'),
  },
  workflow: { summary: 'list registered workflows', load: () => import('./commands/workflow.js') },
  agent: {
    summary: 'let an agent answer, or list registered agents',
    load: () => import('./commands/agent.js'),
  },
  prompt: {
    summary: 'fill a prompt in and ask a model, or list registered prompts',
    load: () => import('./commands/prompt.js'),
  },
  skill: { summary: 'list registered skills', load: () => import('./commands/skill.js') },
  history: { summary: 'list, show or clear the history', load: () => import('./commands/history.js') },
  sessions: {
    summary: 'list, show or remove conversations',
    load: () => import('./commands/sessions.js'),
  },
  trust: {
    summary: 'show or trust what a configuration may execute',
    load: () => import('./commands/trust.js'),
  },
  cache: { summary: 'remove cached model replies', load: () => import('./commands/cache.js') },
  completions: {
    summary: 'print a completion script for a shell',
    load: () => import('./commands/completions.js'),
  },
  man: { summary: 'print the manual page', load: () => import('./commands/man.js') },
  __complete: { summary: 'propose words', hidden: true, load: () => import('./commands/complete.js') },
};

/** The commands that help and completion show. */
export function visibleCommands(): string[] {
  return Object.keys(commandList).filter((name) => commandList[name]!.hidden !== true);
}
