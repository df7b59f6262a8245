import { type Command, Option } from 'commander';
import { UsageError } from '../../errors/errors.js';
import { reasoningEfforts } from '../../plan/settings-fields.js';
import { repeated } from '../repeated.js';
import { wholeNumber } from '../whole-number.js';

/** Flags of `lait chat` and `lait agent run`, as parsed. Source: facts §1.1 and §1.3. */
export interface ChatOptions {
  model?: string;
  system?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  reasoningEffort?: string;
  mcp?: string[];
  tools?: string[];
  skills?: string[];
  subagents?: string[];
  maxToolRounds?: number;
  file?: string[];
  image?: string[];
  outputSchema?: string;
  session?: string;
  stream?: boolean;
  json?: true;
  stdin: boolean;
  baseUrl?: string;
  apiKey?: string;
  record?: string;
  replay?: string;
  showUsage?: true;
}

/** Declares the flags that every request to a model shares. */
export function declareChatOptions(command: Command): void {
  command
    .option('--model <name>', 'a model alias, or a raw model id')
    .option('--temperature <t>', 'sampling temperature, 0 to 2', number('--temperature', 2))
    .option('--top-p <p>', 'nucleus sampling, 0 to 1', number('--top-p', 1))
    .option('--max-tokens <n>', 'most tokens of one reply', wholeNumber('--max-tokens', 1))
    .addOption(
      new Option('--reasoning-effort <effort>', 'how much the model reasons').choices(reasoningEfforts),
    )
    .option('--mcp <name>', 'offer the tools of this MCP server; repeat for more', repeated)
    .option('--tools <name>', 'offer this shell tool; repeat for more', repeated)
    .option('--skills <name>', 'add this skill to the system prompt; repeat for more', repeated)
    .option('--subagents <name>', 'offer this agent as a tool; repeat for more', repeated)
    .option(
      '--max-tool-rounds <n>',
      'most exchanges of tool calls and results',
      wholeNumber('--max-tool-rounds', 1),
    )
    .option('--file <path>', 'attach a text file; repeat for more', repeated)
    .option('--image <path>', 'attach an image, a path or URL; repeat for more', repeated)
    .option('--output-schema <file>', 'ask for an answer that fits this JSON Schema')
    .option('--session <file>', 'go on with the conversation in this file, and keep it there')
    .option('--stream', 'show the answer while it arrives; the default on a terminal')
    .option('--no-stream', 'show the answer when it is complete')
    .option('--json', 'print {content, reasoning, usage} as one JSON document')
    .option('--no-stdin', 'leave standard input unread')
    .option('--base-url <url>', 'send the request to this API')
    .option('--api-key <key>', 'the key for it; default $OPENAI_API_KEY, then the configuration')
    .addOption(new Option('--record <dir>', 'save every model reply in this directory').conflicts('replay'))
    .option('--replay <dir>', 'answer from saved replies only')
    .option('--show-usage', 'print tokens and cost');
}

function number(option: string, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= 0 && value <= most) return value;
    throw new UsageError({
      code: 'option_value',
      message: `${option} must be a number from 0 to ${most}, not '${text}'`,
    });
  };
}
