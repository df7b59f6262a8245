import { expect, it } from 'vitest';
import { directoryWith, lait } from '../cli/run-lait.js';
import { delta, json, says, startModelServer, streams } from '../models/model-server.js';
import { certify, startProxy, startTls } from './local-proxy.js';

const port = (baseUrl: string) => Number(new URL(baseUrl).port);
const workflow = 'default: { model: m }\nsteps:\n  - prompt: hi\n';

it('[network.proxy] plain HTTP is forwarded by the proxy, streams included, and NO_PROXY goes past it', async () => {
  const server = await startModelServer(streams(delta({ content: 'Kyo' }), delta({ content: 'to' }, 'stop')));
  const proxy = await startProxy({ 'models.example': port(server.baseUrl) });
  const directory = directoryWith({
    'lait.config.yml': 'base_url: http://models.example/v1\n',
    'w.yml': workflow,
  });
  const HTTP_PROXY = `http://user:p%40ss@127.0.0.1:${proxy.port}`;
  const ran = await lait(directory, ['run', 'w.yml', 'x', '--stream', '-q'], { env: { HTTP_PROXY } });
  expect(ran).toMatchObject({ code: 0, stdout: 'Kyoto\n' });
  expect(proxy.asked).toEqual(['POST http://models.example/v1/chat/completions']);
  expect(proxy.authorizations).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`]);

  const past = await lait(directory, ['run', 'w.yml', 'x'], {
    env: { HTTP_PROXY, NO_PROXY: 'models.example' },
  });
  expect(past.code).toBe(4);
  expect(past.stderr).toContain('the host name');
  expect(proxy.asked).toHaveLength(1);
}, 30_000);

it('[network.ca] HTTPS goes through a tunnel, and certificates of NODE_EXTRA_CA_CERTS are known', async () => {
  const server = await startModelServer(says('secure'));
  const certificate = certify('models.example');
  const tls = await startTls(certificate, port(server.baseUrl));
  const proxy = await startProxy({ 'models.example:443': tls });
  const directory = directoryWith({
    'lait.config.yml': 'base_url: https://models.example/v1\n',
    'w.yml': workflow,
    '.env': `HTTPS_PROXY=127.0.0.1:${proxy.port}\n`,
  });
  const env = { NODE_EXTRA_CA_CERTS: certificate.authority };
  expect(await lait(directory, ['run', 'w.yml', 'x'], { env })).toMatchObject({
    code: 0,
    stdout: 'secure\n',
  });
  expect(proxy.asked).toEqual(['CONNECT models.example:443']);

  const unknown = await lait(directory, ['run', 'w.yml', 'x']);
  expect(unknown.code).toBe(4);
  expect(unknown.stderr).toContain('NODE_EXTRA_CA_CERTS');
}, 30_000);

it('[network.proxy] a proxy that refuses, or that is not there, is named without its password', async () => {
  const directory = directoryWith({
    'lait.config.yml': 'base_url: https://models.example/v1\n',
    'w.yml': workflow,
  });
  const refusing = await startProxy({}, 407);
  const run = (HTTPS_PROXY: string) => lait(directory, ['run', 'w.yml', 'x'], { env: { HTTPS_PROXY } });
  const refused = await run(`http://me:hidden@127.0.0.1:${refusing.port}`);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`the proxy http://127.0.0.1:${refusing.port} refused`);
  expect(refused.stderr).toContain('407');
  const missing = await run('http://me:hidden@127.0.0.1:9');
  expect(missing).toMatchObject({ code: 4 });
  expect(missing.stderr).toContain('the proxy http://127.0.0.1:9 cannot be reached');
  expect(refused.stderr + missing.stderr).not.toContain('hidden');
  const wrong = await run('socks5://127.0.0.1:9');
  expect(wrong.stderr).toContain("the proxy 'socks5://127.0.0.1:9' is not an http(s) URL");
}, 30_000);

it('[providers.named] doctor names the provider and says what its entry lacks', async () => {
  const server = await startModelServer(json({ object: 'list', data: [{ id: 'mm', owned_by: 'vllm' }] }));
  const proxy = await startProxy({
    'team.openai.azure.com': port(server.baseUrl),
    'api.anthropic.com': port(server.baseUrl),
  });
  const directory = directoryWith({
    'lait.config.yml': [
      'default: { model: local }',
      'models:',
      `  local: [{ model_id: mm, provider: { base_url: "${server.baseUrl}" } }]`,
      '  azure: [{ model_id: gpt, provider: { base_url: "http://team.openai.azure.com/openai/deployments/d", api_key: k-secret } }]',
      '  claude: [{ model_id: c, provider: { base_url: "http://api.anthropic.com/v1" } }]',
    ].join('\n'),
  });
  const { code, stdout } = await lait(directory, ['doctor'], {
    env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` },
  });
  expect(code).toBe(0);
  expect(stdout).toContain(`models.local: ${server.baseUrl} (vLLM) answers and has mm`);
  expect(stdout).toContain('(Azure OpenAI) answers\n');
  expect(stdout).toContain('hint: set provider.query: { api-version: "2024-10-21" }');
  expect(stdout).toContain('hint: set provider.api_key_header: api-key');
  expect(stdout).toContain('Anthropic: it needs a key');
  expect(stdout).toContain('hint: set structured_output: prompt in the entry');
  expect(proxy.asked).toContain('GET http://team.openai.azure.com/openai/models');
}, 30_000);
