import { type Command, Option } from 'commander';
import type { CommandModule, Start } from '../command-list.js';

/** Flags of `lait graph`, as parsed. */
export interface GraphOptions {
  format: 'mermaid' | 'dot' | 'svg';
  expand?: true;
  output?: string;
  /** Shows how the steps of this recorded run stand. */
  run?: string;
  database?: string;
}

const examples = `
Examples:
  lait graph workflow.yml                               (Mermaid, for Markdown pages)
  lait graph workflow.yml --format svg -o workflow.svg
  lait graph workflow.yml --format dot | dot -Tpdf -o workflow.pdf
  lait graph graph.json --run latest                    (colours each node by its state in the run)
  lait graph workflow.yml --expand                      (draws child workflows inside their steps)

Nothing is run: no model, no command, no server.`;

export const configure: CommandModule['configure'] = (command: Command, start: Start) => {
  command
    .argument('<file>', 'a workflow file, or a name under workflows: of lait.config.yml')
    .addOption(
      new Option('--format <format>', 'how the drawing is written')
        .choices(['mermaid', 'dot', 'svg'])
        .default('mermaid'),
    )
    .option('--expand', 'draw child workflows inside the steps that call them')
    .option('--run <run-id>', 'show how the steps of a recorded run stand (or: latest), as it was started')
    .option('--database <url>', 'where that run is recorded: a SQLite file, or postgres://… (default: .lait)')
    .option('-o, --output <path>', 'write to a file instead of standard output (- for that)')
    .addHelpText('after', examples)
    .action((file: string, options: GraphOptions) =>
      start(async (context) => {
        const { drawWorkflow } = await import('../draw-workflow.js');
        await drawWorkflow(file, options, context);
        return undefined;
      }),
    );
};
