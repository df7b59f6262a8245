import { type Command, Option } from 'commander';
import type { Variables } from '../config/environment.js';
import { UsageError } from '../errors/errors.js';

/** Options that every command takes, before or behind its name. Source: facts §1.1. */
export interface GlobalOptions {
  /** The only configuration file to read; false for none; undefined to search. */
  config: string | false | undefined;
  /** False leaves `.env` unread. */
  dotenv: boolean;
  /** 0 to 2. */
  verbosity: number;
  /** Whether equal requests may be answered from the cache; undefined leaves it to the configuration. */
  cache: boolean | undefined;
  /** Asks before each tool call. */
  approveTools: boolean;
  /** Uses the project's configuration without asking. */
  trust: boolean;
}

/** The options of which only one may be given. */
const pairs = [
  ['config', 'no-config'],
  ['cache', 'no-cache'],
] as const;

/** Declares the global options; gives back a function that reads them once the arguments are parsed. */
export function declareGlobalOptions(program: Command, variables: Variables): () => GlobalOptions {
  const given = new Set<string>();
  const declare = (option: Option) => {
    program.addOption(option);
    program.on(`option:${option.long!.slice(2)}`, () => given.add(option.long!.slice(2)));
  };
  declare(new Option('--config <path>', 'read this configuration file only'));
  declare(new Option('--no-config', 'read no configuration file'));
  declare(new Option('--no-env', 'leave the .env file unread'));
  declare(
    new Option('-v, --verbose', 'say more about what happens; -vv also where errors come from')
      .argParser((_, previous: number) => previous + 1)
      .default(0, 'off'),
  );
  declare(new Option('--cache', 'answer equal model requests from the response cache'));
  declare(new Option('--no-cache', 'send every model request'));
  declare(new Option('--approve-tools', 'ask before each tool call'));
  declare(new Option('--trust', 'use the configuration of this project without asking'));
  return () => {
    for (const pair of pairs) {
      if (pair.every((name) => given.has(name))) {
        throw new UsageError({
          code: 'options_exclude',
          message: `--${pair[0]} and --${pair[1]} exclude each other`,
        });
      }
    }
    const options = program.opts();
    return {
      config: given.has('no-config') ? false : options.config === true ? undefined : options.config,
      dotenv: options.env !== false,
      verbosity: verbosityOf(variables.LAIT_LOG) ?? Math.min(options.verbose, 2),
      cache: given.has('cache') ? true : given.has('no-cache') ? false : undefined,
      approveTools: options.approveTools === true,
      trust: options.trust === true,
    };
  };
}

const levels: Readonly<Record<string, number>> = { error: 0, warn: 0, info: 1, debug: 2, trace: 2 };

/** `LAIT_LOG` wins over `-v`. Unknown values mean nothing. */
function verbosityOf(name: string | undefined): number | undefined {
  return name !== undefined && Object.hasOwn(levels, name) ? levels[name] : undefined;
}
