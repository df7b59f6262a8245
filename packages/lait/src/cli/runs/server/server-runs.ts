import { UsageError } from '../../../errors/errors.js';
import { parseInputArguments } from '../../../plan/inputs.js';
import { preview, printable } from '../../../values/printable.js';
import { textOf } from '../../../values/text.js';
import { isObject, type JsonObject, type JsonValue } from '../../../values/value.js';
import type { CommandContext } from '../../command-context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { tableText } from '../../print-table.js';
import { readInputJson } from '../../run/read-call.js';
import { eventRow, type ShownEvent } from '../event-row.js';
import { FollowedLog } from '../followed-log.js';
import type { ServerCall } from './on-server.js';
import { ServerClient } from './server-client.js';

/** Most runs that are listed. */
const mostListed = 1000;

/** `lait runs … --server URL`: what a subcommand does with the runs of a server. */
export async function callServer(call: ServerCall, context: CommandContext): Promise<ExitCode> {
  const { LAIT_TOKEN: token } = await context.variables();
  context.secrets.add(token);
  const client = new ServerClient({ url: call.server, token, signal: context.signal });
  return new ServerRuns(client, call, context).run();
}

class ServerRuns {
  constructor(
    private readonly client: ServerClient,
    private readonly call: ServerCall,
    private readonly context: CommandContext,
  ) {}

  async run(): Promise<ExitCode> {
    const { name, args, options } = this.call;
    if (options.tokens === true && options.follow !== true)
      throw new UsageError({ code: 'options_exclude', message: '--tokens goes with --follow' });
    const [first = '', ...words] = args;
    switch (name) {
      case 'list':
        return this.#list();
      case 'start':
        return this.#start(first, words[0]);
      case 'rm':
        return this.#remove();
      default: {
        const id = await this.#id(first);
        const path = `v1/runs/${encodeURIComponent(id)}`;
        if (name === 'show') return this.#show(await this.client.ask('GET', `${path}?nodes=true`));
        if (name === 'events') return this.#events(id, Number(options.after ?? 0));
        return this.#changed(await this.client.ask('POST', `${path}/${name}`, await this.#body(name, words)));
      }
    }
  }

  /** What an action is sent with. */
  async #body(name: string, words: readonly string[]): Promise<JsonValue | undefined> {
    const { options } = this.call;
    if (name === 'answer') {
      const question = words.length > 1 ? words[0] : undefined;
      const text = words.at(-1);
      if (text === undefined && options.json === undefined)
        throw new UsageError({ code: 'usage', message: 'give the answer' });
      const answer = typeof options.json === 'string' ? json('--json', options.json) : (text ?? null);
      return { answer, ...(question !== undefined && { question }) };
    }
    if (name === 'attention') {
      const { result, reason, address } = options;
      return {
        decision: words[0] ?? null,
        ...(typeof result === 'string' && { output: json('--result', result) }),
        ...(typeof reason === 'string' && { reason }),
        ...(typeof address === 'string' && { question: address }),
      };
    }
    if (name !== 'rerun') return undefined;
    const { input, inputJson } = options;
    return {
      ...(typeof options.from === 'string' && options.from !== 'start' && { from: options.from }),
      ...(typeof inputJson === 'string' && { inputs: await readInputJson(inputJson, this.context.signal) }),
      ...(input !== undefined && { changed_inputs: this.#named(input as string[]) }),
      ...(options.approve === true && { skip_approval: true }),
    };
  }

  async #list(): Promise<ExitCode> {
    const { output } = this.context;
    const runs: JsonObject[] = [];
    let cursor: JsonValue = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(String(cursor))}`;
      const page: JsonObject = await this.client.ask('GET', `v1/runs?limit=200${query}`);
      runs.push(...(page.items as JsonObject[]));
      cursor = page.next_cursor ?? null;
    } while (cursor !== null && runs.length < mostListed);
    if (this.call.options.json === true) await output.writeJson(runs);
    else if (runs.length === 0) output.note('there are no runs on the server');
    else await output.write(tableText(runs.map(rowOf)));
    if (cursor !== null) output.note(`only the newest ${runs.length} runs are listed`);
    return exitCodes.ok;
  }

  async #start(workflow: string, prompt: string | undefined): Promise<ExitCode> {
    const { input, inputJson, follow } = this.call.options;
    if (prompt !== undefined && inputJson !== undefined)
      throw new UsageError({
        code: 'options_exclude',
        message: 'PROMPT and --input-json exclude each other',
      });
    const first =
      typeof inputJson === 'string' ? await readInputJson(inputJson, this.context.signal) : prompt;
    const run = await this.client.ask('POST', 'v1/runs', {
      workflow,
      ...(first !== undefined && { input: first }),
      ...(input !== undefined && { inputs: this.#named(input as string[]) }),
    });
    const id = String(run.run_id);
    if (follow !== true) return this.#changed(run);
    await this.#follow(id, 0, new FollowedLog((text) => this.context.output.message(text), false));
    return this.#show(await this.client.ask('GET', `v1/runs/${encodeURIComponent(id)}`));
  }

  async #follow(id: string, after: number, log: FollowedLog): Promise<void> {
    try {
      for await (const event of this.client.events(id, after, this.call.options.tokens === true))
        await log.add('seq' in event ? { ...event, ...shown(event) } : event);
    } finally {
      await log.end();
    }
  }

  /** What `--input` gives; what the workflow declares is known to the server alone. */
  #named(pairs: readonly string[]): JsonObject {
    const { inputs, warnings } = parseInputArguments({}, pairs);
    for (const warning of warnings) this.context.output.warning(warning);
    return inputs;
  }

  async #show(run: JsonObject): Promise<ExitCode> {
    const { output } = this.context;
    if (this.call.options.json === true) await output.writeJson(run);
    else await output.write(runText(run));
    return exitOf(run);
  }

  async #changed(run: JsonObject): Promise<ExitCode> {
    const { output } = this.context;
    if (this.call.options.json === true) await output.writeJson(run);
    else await output.write(`${String(run.run_id)}  ${String(run.status)}\n`);
    return exitCodes.ok;
  }

  async #events(id: string, after: number): Promise<ExitCode> {
    const { output } = this.context;
    const { follow, json } = this.call.options;
    if (follow === true) {
      await this.#follow(id, after, new FollowedLog((text) => output.write(text), json === true));
      return exitCodes.ok;
    }
    const all: JsonObject[] = [];
    for (let last = after; ; ) {
      const path = `v1/runs/${encodeURIComponent(id)}/log?limit=1000&after=${last}`;
      const items = (await this.client.ask('GET', path)).items as JsonObject[];
      if (items.length === 0) break;
      all.push(...items);
      last = Number(items.at(-1)!.seq);
    }
    if (json === true) await output.writeJson(all);
    else await output.write(tableText(all.map((event) => eventRow(shown(event)))));
    return exitCodes.ok;
  }

  async #remove(): Promise<ExitCode> {
    const { args, options } = this.call;
    const ids = await Promise.all(args.map((one) => this.#id(one)));
    if (options.completed === true) {
      const page = await this.client.ask('GET', 'v1/runs?status=completed&limit=500');
      ids.push(...(page.items as JsonObject[]).map(({ run_id }) => String(run_id)));
    }
    if (ids.length === 0)
      throw new UsageError({ code: 'usage', message: 'name the runs to remove, or give --completed' });
    for (const id of new Set(ids)) {
      await this.client.ask('DELETE', `v1/runs/${encodeURIComponent(id)}`);
      this.context.output.note(`removed run '${printable(id)}'`);
    }
    return exitCodes.ok;
  }

  async #id(name: string): Promise<string> {
    if (name !== 'latest') return name;
    const [newest] = (await this.client.ask('GET', 'v1/runs?limit=1')).items as JsonObject[];
    if (newest !== undefined) return String(newest.run_id);
    throw new UsageError({ code: 'run_not_found', message: 'there are no runs on the server' });
  }
}

function rowOf(run: JsonObject): string[] {
  const questions = (run.questions as JsonObject[]).map(({ text }) => String(text)).join('; ');
  const about = questions === '' ? textOf(run.error ?? '') : questions;
  return [String(run.run_id), String(run.status), preview(about, 40), printable(String(run.workflow))];
}

function runText(run: JsonObject): string {
  const rows: [string, JsonValue][] = [
    ['run', run.run_id ?? null],
    ['workflow', run.workflow ?? null],
    ['status', run.status ?? null],
    ['created', run.created_at ?? null],
    ['finished', run.finished_at ?? null],
    ['inputs', run.inputs ?? null],
    ['result', run.result ?? null],
    ['error', run.error ?? null],
  ];
  const lines = rows
    .filter(([, value]) => value !== null && !(isObject(value) && Object.keys(value).length === 0))
    .map(([name, value]) => `${`${name}:`.padEnd(10)} ${printable(textOf(value))}\n`);
  for (const { address, text, choices } of run.questions as JsonObject[]) {
    const which = Array.isArray(choices) ? ` [${choices.map(textOf).join(' / ')}]` : '';
    lines.push(`asks:      ${printable(`${String(text)}${which} (${String(address)})`)}\n`);
  }
  for (const node of (run.nodes ?? []) as JsonObject[])
    lines.push(`  ${printable(String(node.node_id))}: ${String(node.status)}\n`);
  return lines.join('');
}

/** What a server says is for people to see whatever it holds. */
function shown({ seq, at, type, payload }: JsonObject): ShownEvent {
  return {
    seq: Number(seq),
    at: printable(String(at)),
    type: printable(String(type)),
    payload: isObject(payload) ? payload : {},
  };
}

function exitOf({ status }: JsonObject): ExitCode {
  if (status === 'failed' || status === 'incomplete') return exitCodes.failed;
  return typeof status === 'string' && status.startsWith('waiting_') ? exitCodes.parked : exitCodes.ok;
}

function json(option: string, text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new UsageError({ code: 'usage', message: `${option} is no JSON: ${(error as Error).message}` });
  }
}
