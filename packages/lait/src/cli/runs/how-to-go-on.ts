import { purposeOf } from '../../runs/run-questions.js';
import type { RunQuestion, RunRecord } from '../../runs/run-record.js';
import { isTerminal } from '../../runs/run-status.js';
import { preview, printable } from '../../values/printable.js';
import type { CommandContext } from '../command-context.js';
import { quoteCommand, usualShell } from '../shell-quote.js';

/** What a command that continues a run must be given again. */
export interface Surroundings {
  database?: string;
  record?: string;
  replay?: string;
}

/** What a run waits for, and the commands that let it go on, as they can be copied into a shell. */
export interface NextSteps {
  /** One line. */
  waits: string;
  questions: readonly { about: string; commands: readonly string[] }[];
}

/**
 * How a run that waits can go on; `consents` are the lines of what approval is asked for. Source: issue 7; field reports
 * FR-38 and FR-41.
 */
export async function nextSteps(
  record: RunRecord,
  surroundings: Surroundings,
  context: CommandContext,
  consents: readonly string[] = [],
): Promise<NextSteps> {
  const shell = usualShell(process.platform, await context.variables());
  const { run_id: id, status } = record;
  const command = (action: string, ...rest: string[]) =>
    quoteCommand(['lait', 'runs', action, id, ...rest, ...flagsOf(surroundings, context)], shell);
  const cancel = quoteCommand(
    ['lait', 'runs', 'cancel', id, ...flagsOf({ database: surroundings.database }, context)],
    shell,
  );
  switch (status) {
    case 'waiting_approval':
      return {
        waits: 'waits for approval',
        questions: [
          {
            about: ['everything that it will do', ...consents].join('\n'),
            commands: [command('approve'), cancel],
          },
        ],
      };
    case 'waiting_hitl':
    case 'waiting_attention': {
      const purpose = status === 'waiting_hitl' ? 'hitl' : 'attention';
      const asked = record.questions.filter(({ question }) => purposeOf(question) === purpose);
      const answers = (question: RunQuestion) => [command('answer', ...answerArguments(question, asked))];
      const decisions = ({ address }: RunQuestion) =>
        ['adopt', 'reexecute', 'fail', 'interrupt'].map((decision) =>
          command('attention', decision, ...(asked.length > 1 ? ['--address', address] : [])),
        );
      const commandsOf = purpose === 'hitl' ? answers : decisions;
      return {
        waits: purpose === 'hitl' ? 'waits for an answer' : 'waits for a decision',
        questions: asked.map((question) => ({
          about: aboutQuestion(question),
          commands: commandsOf(question),
        })),
      };
    }
    default:
      return {
        waits: isTerminal(status) ? `has ended as ${status}` : `is ${status}`,
        questions: [
          {
            about: record.error_summary === undefined ? '' : preview(record.error_summary, 500),
            commands: [command(isTerminal(status) ? 'rerun' : 'resume')],
          },
        ],
      };
  }
}

/** The text of `nextSteps` for a person. */
export function nextStepsText(runId: string, { waits, questions }: NextSteps): string {
  const lines = [`note: run '${runId}' ${waits}`];
  for (const { about, commands } of questions) {
    if (about !== '') lines.push(`  ${printable(about).replaceAll('\n', '\n  ')}`);
    for (const command of commands) lines.push(`    ${command}`);
  }
  return lines.join('\n');
}

function aboutQuestion({ node_id, question }: RunQuestion): string {
  const { text, choices, type, payload } = question;
  const which = choices ?? (type === 'boolean' ? ['true', 'false'] : undefined);
  const how = which === undefined ? '' : ` [${which.join(' / ')}]`;
  const more = type === 'resume' && payload !== undefined ? ` ${preview(JSON.stringify(payload), 500)}` : '';
  return `${node_id === undefined ? '' : `${node_id}: `}${text}${how}${more}`;
}

function answerArguments(
  { address, node_id, question }: RunQuestion,
  asked: readonly RunQuestion[],
): string[] {
  if (question.type === 'resume') return [address, '--json', '{}'];
  const answer = question.choices?.[0] ?? (question.type === 'boolean' ? 'true' : 'ANSWER');
  if (asked.length === 1) return [answer];
  const alone = asked.filter((other) => other.node_id === node_id).length === 1;
  return [alone && node_id !== undefined ? node_id : address, answer];
}

function flagsOf({ database, record, replay }: Surroundings, context: CommandContext): string[] {
  const { config, dotenv } = context.options;
  const flags: string[] = [];
  if (database !== undefined) flags.push('--database', database);
  if (record !== undefined) flags.push('--record', record);
  if (replay !== undefined) flags.push('--replay', replay);
  if (config === false) flags.push('--no-config');
  else if (config !== undefined) flags.push('--config', config);
  if (!dotenv) flags.push('--no-env');
  return flags;
}
