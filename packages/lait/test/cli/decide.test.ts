import { expect, it } from 'vitest';
import { json, startModelServer } from '../models/model-server.js';
import { directoryWith, lait } from './run-lait.js';

const questions =
  'urgent: { type: noul, instructions: 今日中? }\nteam: { type: choice, criteria: { a: x, b: null } }\n';
const answers = { team: { type: 'choice', choice: 'a' }, urgent: { type: 'noul', noul: 0.9 } };

it('[decide.command] asks once and prints the answers in the order of the questions', async () => {
  const server = await startModelServer(json({ model: 'j', answers, usage: { input_tokens: 3 } }));
  const directory = directoryWith({
    'lait.config.yml': `jev: { base_url: "${server.baseUrl}", api_key: jev-secret-key, model: jm }\n`,
    'q.yml': questions,
  });
  const plain = await lait(directory, ['decide', '-q', 'q.yml', '雨です'], { stdin: '続き\n' });
  expect(Object.keys(JSON.parse(plain.stdout))).toEqual(['urgent', 'team']);
  expect(plain).toMatchObject({ code: 0, stderr: '' });
  expect(server.requests[0]).toMatchObject({
    path: '/v1/systemone',
    headers: { authorization: 'Bearer jev-secret-key' },
    body: { model: 'jm', state: '雨です\n\n続き' },
  });
  const full = await lait(directory, [
    'decide',
    '-q',
    'q.yml',
    '--json',
    '--full',
    '--model',
    'm2',
    '[1,{"a":2}]',
  ]);
  expect(JSON.parse(full.stdout)).toEqual({ model: 'j', answers, usage: { input_tokens: 3 } });
  expect(server.requests[1]!.body).toMatchObject({ model: 'm2', state: [1, { a: 2 }] });
});

it('checks questions and state before anything is sent', async () => {
  const server = await startModelServer(json({ answers }));
  const directory = directoryWith({
    'lait.config.yml': `jev: { base_url: "${server.baseUrl}" }\n`,
    'q.yml': questions,
    'bad.yml': 'a: { type: nol }\nb: { type: choice, criteria: { one: x } }\nc: { type: noul, extra: 1 }\n',
  });
  const bad = await lait(directory, ['decide', '-q', 'bad.yml', 'x']);
  expect(bad).toMatchObject({ code: 3, stdout: '' });
  for (const place of ['bad.yml:1:', 'bad.yml:2:', 'bad.yml:3:']) expect(bad.stderr).toContain(place);
  expect(await lait(directory, ['decide', '-q', 'none.yml', 'x'])).toMatchObject({ code: 2 });
  expect(await lait(directory, ['decide', '-q', 'q.yml', '--json', '{'])).toMatchObject({ code: 2 });
  expect(await lait(directory, ['decide', '-q', 'q.yml'])).toMatchObject({ code: 2 });
  expect(await lait(directory, ['decide', 'x'])).toMatchObject({ code: 2 });
  expect(server.requests).toHaveLength(0);
});

it('names the status and the words of a server that refuses, and keeps the key from other servers', async () => {
  const refusing = await startModelServer(json({ detail: [{ msg: 'state is too long' }] }, 422));
  const directory = directoryWith({
    'lait.config.yml': 'jev: { base_url: "http://127.0.0.1:1/v1", api_key: jev-secret-key }\n',
    'q.yml': questions,
  });
  const args = ['decide', '-q', 'q.yml', 'x', '--base-url', refusing.baseUrl];
  const refused = await lait(directory, args);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('422');
  expect(refused.stderr).toContain('state is too long');
  expect(refused.stderr).toContain('--api-key');
  expect(refusing.requests[0]!.headers.authorization).toBeUndefined();
  await lait(directory, [...args, '--api-key', 'given-key']);
  expect(refusing.requests[1]!.headers.authorization).toBe('Bearer given-key');
});
