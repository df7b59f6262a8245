import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/engine/journal.js';
import { RecordedRun } from '../../src/engine/runtimes/recorded.js';
import { type Answer, says, startModelServer } from '../models/model-server.js';
import { MemoryJournal } from '../support/memory-journal.js';
import { run, temporaryDirectory, text } from './model-plan.js';

const call = (id: string, name: string, arguments_: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(arguments_) },
});

describe('an interrupted conversation', () => {
  const script: Answer[] = [
    says({ tool_calls: [call('c1', 'tool__mark', { n: '1' }), call('c2', 'tool__mark', { n: '2' })] }),
    says({ tool_calls: [call('c3', 'agent__scout', { input: '見て' })] }),
    says({ tool_calls: [call('c4', 'tool__mark', { n: 'inner' })] }),
    says('subagent answer'),
    says('done 🎉'),
  ];

  it.each([0, 1, 2, 3, 4])(
    '[conversation.recovers] goes on after a crash in request %i and repeats nothing that was answered',
    async (crash) => {
      const directory = await temporaryDirectory();
      const mark = {
        command: ['sh', '-c', 'echo "$1" >> marks; echo "marked $1"', 'sh', '{{ input.n }}'],
        cwd: directory,
      };
      const options = {
        tools: { tools: { mark } },
        agents: { scout: { system: text('scout'), tools: ['mark'] } },
      };
      const steps = [
        { kind: 'prompt', fields: { prompt: text('go'), tools: ['mark'], subagents: ['scout'] } },
      ];
      const journal = new MemoryJournal();

      // The server never answers the request during which the process "dies".
      const first = await startModelServer(...script.slice(0, crash), () => {});
      const models = { base_url: first.baseUrl };
      void run(steps, { ...options, models, run: new RecordedRun({ runId: 'run', journal }) });
      await expect.poll(() => first.requests.length, { timeout: 20_000 }).toBe(crash + 1);
      const survived = new MemoryJournal(JSON.parse(JSON.stringify(journal.entries)) as JournalEntry[]);

      const second = await startModelServer(...script.slice(crash));
      const { value } = await run(steps, {
        ...options,
        server: second,
        run: new RecordedRun({ runId: 'run', journal: survived }),
      });
      expect(value).toBe('done 🎉');
      expect(second.requests).toHaveLength(script.length - crash);
      expect(second.requests[0]!.body).toEqual(first.requests[crash]!.body);
      const marks = (await readFile(join(directory, 'marks'), 'utf8')).trim().split('\n');
      expect(marks.sort()).toEqual(['1', '2', 'inner']);
    },
  );
});
