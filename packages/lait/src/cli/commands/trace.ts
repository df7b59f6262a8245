import type { Command } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

const examples = `
Examples:
  lait run workflow.yml "text" --trace-file trace.jsonl
  lait trace show trace.jsonl
  lait trace export trace.jsonl --otlp http://localhost:4318
  lait run workflow.yml "text" --otlp http://localhost:4318   (every step too, without a file)

A trace file holds one JSON object a line: model calls, tool calls and compactions, as they end.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command.addHelpText('after', examples);
  command
    .command('show')
    .description('Show what a trace file holds, step by step')
    .argument('<file>', 'a trace file')
    .option('--json', 'print the lines as one JSON array')
    .action((file: string, options: { json?: true }) =>
      start(async (context) => {
        const { showTrace } = await import('../trace/show-trace.js');
        await showTrace(file, options, context);
        return undefined;
      }),
    );
  command
    .command('export')
    .description('Send a trace file to an OpenTelemetry collector')
    .argument('<file>', 'a trace file')
    .requiredOption('--otlp <url>', 'the collector, e.g. http://localhost:4318 (OTLP over HTTP)')
    .action((file: string, options: { otlp: string }) =>
      start(async (context) => {
        const { exportTrace } = await import('../trace/export-trace.js');
        await exportTrace(file, options.otlp, context);
        return undefined;
      }),
    );
};
