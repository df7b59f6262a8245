import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Checkpoint, readCheckpoint } from '../../src/runs/checkpoint.js';
import { CheckpointStore } from '../../src/runs/checkpoint-store.js';
import { CheckpointWriter } from '../../src/runs/checkpoint-writer.js';
import { restoredForm } from '../../src/runs/restored-checkpoint.js';
import { isRunId, newRunId } from '../../src/runs/run-id.js';
import { SecretReferences } from '../../src/runs/secret-references.js';
import { ValueCodec } from '../../src/runs/stores/value-codec.js';
import { SecretRegistry } from '../../src/values/secrets.js';
import type { JsonObject, JsonValue, Value } from '../../src/values/value.js';

let directory: string;
let store: CheckpointStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lait-runs-'));
  store = new CheckpointStore(join(directory, '.lait'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const checkpoint = (changes: Partial<Checkpoint> = {}): Checkpoint => ({
  run_id: newRunId(),
  workflow_path: 'w.yml',
  initial_input: '本文 🍣',
  inputs: {},
  top_level_labels: ['a', 'step-2'],
  completed_index: 0,
  counter: 1,
  current_value: { x: [1, null, 'y'] },
  steps_outputs: { a: { x: [1, null, 'y'] } },
  passed_values: [],
  state: {},
  status: 'failed',
  started_at: '2026-09-03T14:12:33.123Z',
  updated_at: '2026-09-03T14:12:33.123Z',
  ...changes,
});

/** A writer without secrets. */
const plainWriter = (encode: (value: Value) => string = JSON.stringify) =>
  new CheckpointWriter({ encode, mask: (text) => text, revision: () => 0 });
const textOf = (written: Uint8Array[]) => Buffer.concat(written).toString('utf8');
const writeCheckpoint = (saved: Checkpoint) => textOf(plainWriter().write(saved));
const save = (saved: Checkpoint) => store.save(saved.run_id, plainWriter().write(saved));

describe('[runs.format] the file of a run', () => {
  it('has the fields of format 2', async () => {
    const saved = checkpoint();
    await save(saved);
    const file = JSON.parse(readFileSync(store.path(saved.run_id), 'utf8'));
    expect(file).toMatchObject({
      format: 2,
      run_id: saved.run_id,
      workflow_path: 'w.yml',
      initial_input: '本文 🍣',
      inputs: {},
      top_level_labels: ['a', 'step-2'],
      completed_index: 0,
      counter: 1,
      current_value: { x: [1, null, 'y'] },
      steps_outputs: { a: { x: [1, null, 'y'] } },
      status: 'failed',
    });
  });

  it('gives back every value as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.option(fc.jsonValue()), (value, state) => {
        const saved = checkpoint({
          current_value: value as JsonValue,
          steps_outputs: { a: value as JsonValue },
          state: state === null ? {} : { s: state as JsonValue },
        });
        expect(readCheckpoint(writeCheckpoint(saved), 'x.json', saved.run_id)).toMatchObject(
          JSON.parse(JSON.stringify(saved)),
        );
      }),
    );
  });

  it('has a value again after a step that gave none', async () => {
    const saved = checkpoint({ current_value: undefined });
    await save(saved);
    const read = await store.read(saved.run_id);
    expect(read.current_value).toBeUndefined();
    await save({ ...read, current_value: 'つぎ' });
    expect((await store.read(saved.run_id)).current_value).toBe('つぎ');
    expect(readFileSync(store.path(saved.run_id), 'utf8').match(/"format"/g)).toHaveLength(1);
  });

  it('is the same whether its writer has written earlier ones or not', () => {
    const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;
    const record = fc.record({
      steps_outputs: fc.dictionary(fc.constantFrom('a', 'b', 'c', '値', '__proto__', '$lait.value'), value),
      passed_values: fc.array(fc.oneof(fc.constant({ same: true as const }), fc.record({ value }))),
      current_value: fc.option(value, { nil: undefined }),
      items: fc.option(
        fc.record({ digest: fc.constant('d'), results: fc.dictionary(fc.nat(20).map(String), value) }),
        { nil: undefined },
      ),
      failure: fc.option(fc.record({ message: fc.string() }), { nil: undefined }),
    });
    const codec = new ValueCodec();
    const codedWriter = () => plainWriter((value) => codec.encode(value));
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), fc.boolean(), (records, grow) => {
        const writer = codedWriter();
        let steps: JsonObject = {};
        for (const changes of records) {
          // Mostly what was there and more behind it, as in a run; sometimes something else.
          if (grow) steps = { ...steps, ...changes.steps_outputs };
          const saved = checkpoint({ ...changes, ...(grow ? { steps_outputs: steps } : {}) });
          const text = textOf(writer.write(saved));
          expect(text).toBe(textOf(codedWriter().write(saved)));
          expect(JSON.parse(text).steps_outputs).toEqual(JSON.parse(codec.encode(saved.steps_outputs)));
        }
      }),
    );
  });

  it('belongs to its owner alone and leaves nothing else in its directory', async () => {
    const saved = checkpoint();
    await save(saved);
    await save({ ...saved, counter: 2 });
    expect(readdirSync(join(directory, '.lait', 'runs'))).toEqual([`${saved.run_id}.json`]);
    expect(statSync(store.path(saved.run_id)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(directory, '.lait', 'tmp'))).toEqual([]);
  });

  it('ids sort by time, are plain names, and never repeat', () => {
    const ids = Array.from({ length: 200 }, newRunId);
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(id).toMatch(/^\d{8}-\d{6}-\d{9}-\d+-\d+$/);
    expect(ids.every(isRunId)).toBe(true);
    for (const bad of ['..', '.', '', '../x', 'a/b', 'a\\b', '.hidden', 'x.json', 'é', '-rf'])
      expect(isRunId(bad)).toBe(false);
  });
});

describe('[runs.never-overwritten] a file that cannot be read is left as it is', () => {
  const cases: [name: string, text: string, code: string][] = [
    ['cut off', writeCheckpoint(checkpoint()).slice(0, 120), 'checkpoint_damaged'],
    ['empty', '', 'checkpoint_damaged'],
    ['of a newer version', JSON.stringify({ format: 3, anything: true }), 'checkpoint_newer'],
    ['of an earlier version', JSON.stringify({ format: 1 }), 'checkpoint_older'],
    ['foreign JSON', '{"name":"x"}', 'checkpoint_foreign'],
    ['no object', '[1]', 'checkpoint_foreign'],
    [
      'a field missing',
      JSON.stringify({ ...JSON.parse(writeCheckpoint(checkpoint())), counter: undefined }),
      'checkpoint_damaged',
    ],
    [
      'an impossible position',
      JSON.stringify({ ...JSON.parse(writeCheckpoint(checkpoint())), completed_index: 9 }),
      'checkpoint_damaged',
    ],
  ];
  it.each(cases)('%s', async (_name, text, code) => {
    const saved = checkpoint();
    mkdirSync(join(directory, '.lait', 'runs'), { recursive: true });
    writeFileSync(store.path(saved.run_id), text);
    await expect(store.read(saved.run_id)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(store.path(saved.run_id)),
    });
    await expect(save(saved)).rejects.toMatchObject({ code: 'checkpoint_changed' });
    expect(readFileSync(store.path(saved.run_id), 'utf8')).toBe(text);
    expect(await store.list()).toMatchObject([{ run_id: saved.run_id, problem: expect.any(String) }]);
  });

  it.each<[string, unknown]>([
    ['items', 'x'],
    ['items', { digest: '","a":"', results: {} }],
    ['items', { digest: 'a'.repeat(64), results: null }],
    ['parent', {}],
    ['failure', { message: 1 }],
    ['updated_at', 5],
    ['conversation', { step: 'a', messages: 'x', cut_results: {} }],
    ['run_id', '../../elsewhere'],
  ])('one whose %s is %j', async (name, value) => {
    const saved = checkpoint();
    const text = JSON.stringify({ ...JSON.parse(writeCheckpoint(saved)), [name]: value });
    mkdirSync(join(directory, '.lait', 'runs'), { recursive: true });
    writeFileSync(store.path(saved.run_id), text);
    await expect(store.read(saved.run_id)).rejects.toMatchObject({ code: 'checkpoint_damaged' });
  });

  it.each<[JsonValue[], JsonObject]>([
    [[{ role: 'system', content: 'x' }], {}],
    [[{ role: 'user' }], {}],
    [[{ role: 'user', content: [{ type: 'text' }] }], {}],
    [[{ role: 'tool', content: 'x' }], {}],
    [[{ role: 'assistant', content: null, tool_calls: [{ id: 'c1' }] }], {}],
    [[], { c1: 5 }],
  ])('one whose conversation is %j, cut %j', async (messages, cut_results) => {
    const saved = checkpoint({ conversation: { step: 'a', messages, cut_results } as never });
    await save(saved);
    const references = new SecretReferences({}, new SecretRegistry(), []);
    const read = await store.read(saved.run_id);
    expect(() => restoredForm(read, references, () => {})).toThrow(/is damaged: its conversation/);
  });

  it('a directory in its place', async () => {
    const saved = checkpoint();
    mkdirSync(store.path(saved.run_id), { recursive: true });
    await expect(store.read(saved.run_id)).rejects.toMatchObject({ code: 'file_unreadable' });
    await expect(save(saved)).rejects.toMatchObject({ code: 'checkpoint_changed' });
  });

  it('a file that somebody else changed during the run', async () => {
    const saved = checkpoint();
    await save(saved);
    writeFileSync(store.path(saved.run_id), 'precious');
    await expect(save(saved)).rejects.toMatchObject({ code: 'checkpoint_changed' });
    expect(readFileSync(store.path(saved.run_id), 'utf8')).toBe('precious');
  });

  it('a save that fails: the record and the one before it stay two files [runs.restored]', async () => {
    const saved = checkpoint({ counter: 1 });
    const previous = join(directory, '.lait', 'previous', `${saved.run_id}.json`);
    const counterOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')).counter;
    await save(saved);
    await save({ ...saved, counter: 2 });
    const inTheWay = join(directory, '.lait', 'tmp', `${saved.run_id}.json`);
    mkdirSync(inTheWay);
    await expect(save({ ...saved, counter: 3 })).rejects.toMatchObject({ code: 'file_unwritable' });
    expect([counterOf(store.path(saved.run_id)), counterOf(previous)]).toEqual([2, 1]);
    expect(statSync(store.path(saved.run_id)).nlink).toBe(1);
    rmSync(inTheWay, { recursive: true });
    // What a writer left that was killed while it replaced the record.
    linkSync(store.path(saved.run_id), join(directory, '.lait', 'tmp', `${saved.run_id}.previous.json`));
    await save({ ...saved, counter: 3 });
    expect([counterOf(store.path(saved.run_id)), counterOf(previous)]).toEqual([3, 2]);
    expect(readdirSync(join(directory, '.lait', 'tmp'))).toEqual([]);
  });

  it('a file in place of the directory', async () => {
    writeFileSync(join(directory, '.lait'), 'not a directory');
    await expect(save(checkpoint())).rejects.toMatchObject({ code: 'file_unwritable' });
    await expect(store.list()).rejects.toMatchObject({ code: 'file_unreadable' });
  });
});

describe('claims', () => {
  it('are held by one at a time and can be taken again once released', async () => {
    const first = await store.claim('r1');
    await expect(store.claim('r1')).rejects.toMatchObject({ code: 'run_in_use' });
    await first.release();
    const second = await store.claim('r1');
    await second.release();
    expect(await store.holder('r1')).toBeUndefined();
  });

  it('of a process that has ended are taken over', async () => {
    mkdirSync(join(directory, '.lait', 'claims'), { recursive: true });
    const { host } = JSON.parse(JSON.stringify({ host: (await import('node:os')).hostname() }));
    const gone = { host, pid: 2 ** 22 - 3, started: '1', claimed_at: 'x' };
    writeFileSync(join(directory, '.lait', 'claims', 'r1.1.json'), JSON.stringify(gone));
    await (await store.claim('r1')).release();
  });

  it('of a process whose number was given to another one are taken over', async () => {
    const { hostname } = await import('node:os');
    mkdirSync(join(directory, '.lait', 'claims'), { recursive: true });
    const other = { host: hostname(), pid: process.ppid, started: 'long ago', claimed_at: 'x' };
    writeFileSync(join(directory, '.lait', 'claims', 'r1.1.json'), JSON.stringify(other));
    if (process.platform === 'linux') await (await store.claim('r1')).release();
  });

  it('are won by exactly one of many that try at the same time', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => store.claim('r2')));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('[runs.no-secrets] secrets in records', () => {
  const registry = () => {
    const secrets = new SecretRegistry();
    secrets.add('sk-live-9f8e7d6c');
    return secrets;
  };
  const references = (variables: Record<string, string>, sources = ['${DEPLOY}']) =>
    new SecretReferences(variables, registry(), sources);

  it('are stored as references and restored from the variables of that time', () => {
    const value: JsonValue = {
      a: ['Bearer hunter2-token!', 'plain'],
      'hunter2-token': 1,
      b: 'x hunter2-token y hunter2-token',
    };
    const stored = references({ DEPLOY: 'hunter2-token' }).store(value);
    expect(JSON.stringify(stored)).not.toContain('hunter2-token');
    const rotated = references({ DEPLOY: 'new-token' }).restore(stored, () => {});
    expect(rotated).toEqual({
      a: ['Bearer new-token!', 'plain'],
      'new-token': 1,
      b: 'x new-token y new-token',
    });
    expect(JSON.stringify(references({}).show(stored))).toContain('Bearer ${DEPLOY}!');
  });

  it('without a variable are masked, and the one who restores is told', () => {
    const stored = references({}).store('key sk-live-9f8e7d6c');
    expect(JSON.stringify(stored)).not.toContain('sk-live');
    let told = false;
    const restored = references({}).restore(stored, () => {
      told = true;
    });
    expect([restored, told]).toEqual(['key [REDACTED]', true]);
  });

  it('whose variable is gone are named', () => {
    const stored = references({ DEPLOY: 'hunter2-token' }).store('hunter2-token');
    expect(() => references({}).restore(stored, () => {})).toThrow(/DEPLOY/);
  });

  it('that become known only later leave the values that were recorded before, too', () => {
    const secrets = new SecretRegistry();
    const own = new SecretReferences({}, secrets, []);
    const codec = new ValueCodec({ store: (v) => own.store(v), restore: (v) => v, show: (v) => v });
    const writer = new CheckpointWriter({
      encode: (value) => codec.encode(value),
      mask: (text) => own.mask(text),
      revision: () => own.revision,
    });
    const saved = checkpoint({
      initial_input: 'key-from-a-command',
      steps_outputs: { a: 'key-from-a-command' },
      passed_values: [{ value: 'key-from-a-command' }],
      failure: { message: 'no key-from-a-command' },
    });
    expect(textOf(writer.write(saved)).match(/key-from-a-command/g)).toHaveLength(4);
    secrets.add('key-from-a-command');
    expect(textOf(writer.write(saved))).not.toContain('key-from-a-command');
  });

  it('in the name of a step leave the record of the run readable', () => {
    const own = references({ DB_PASS: 'root' });
    const codec = new ValueCodec(own);
    const saved = checkpoint({ steps_outputs: { root: { root: ['root'] } }, current_value: { root: 1 } });
    const writer = new CheckpointWriter({
      encode: (value) => codec.encode(value),
      mask: (text) => own.mask(text),
      revision: () => own.revision,
    });
    const read = readCheckpoint(textOf(writer.write(saved)), 'x.json', saved.run_id);
    const { steps_outputs, current_value } = restoredForm(read, own, () => {});
    expect({ steps_outputs, current_value }).toEqual({
      steps_outputs: saved.steps_outputs,
      current_value: saved.current_value,
    });
  });

  it('in the words that a conversation is made of leave it readable', async () => {
    const words = ['user', 'role', 'step', 'messages', 'content', 'call_1', 'assistant'];
    const own = references(Object.fromEntries(words.map((word) => [`${word.toUpperCase()}_PASS`, word])));
    const codec = new ValueCodec(own);
    const saved = checkpoint({
      conversation: {
        step: 'step',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'a user role' }] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'call_1', content: '苔 content' },
        ],
        cut_results: { call_1: 'messages' },
      },
    });
    const writer = new CheckpointWriter({
      encode: (value) => codec.encode(value),
      mask: (text) => own.mask(text),
      revision: () => own.revision,
    });
    await store.save(saved.run_id, writer.write(saved));
    const { conversation } = restoredForm(await store.read(saved.run_id), own, () => {});
    expect(conversation).toEqual(saved.conversation);
  });

  it('values that look like references, and keys that hold secrets, come back as they were', () => {
    fc.assert(
      fc.property(
        fc.letrec((tie) => ({
          value: fc.oneof(
            fc.constantFrom<JsonValue>('hunter2-token', 'a', 1, null),
            fc.array(tie('value'), { maxLength: 3 }),
            fc.dictionary(
              fc.constantFrom(
                ...['$lait.secret', '$lait.literal', '$lait.entries', 'variable', '__proto__', 'x'],
                ...['hunter2-token', 'x hunter2-token'],
              ),
              tie('value'),
              { maxKeys: 3 },
            ),
          ),
        })).value,
        (value) => {
          const own = references({ DEPLOY: 'hunter2-token' });
          const stored = JSON.parse(JSON.stringify(own.store(value as JsonValue)));
          expect(JSON.stringify(stored)).not.toContain('hunter2-token');
          expect(JSON.stringify(own.restore(stored, () => {}))).toBe(JSON.stringify(value));
        },
      ),
    );
  });
});
