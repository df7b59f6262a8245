import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as wholeOf } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiRequest, BodyTooLargeError, postTo } from '../../src/network/post-to.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat`, server };
}

const never = new AbortController().signal;

async function post(url: string, { body = '{}', signal = never }: Partial<ApiRequest> = {}) {
  return postTo(new URL(url), {})({ headers: { 'content-type': 'application/json' }, body, signal });
}

const enough = 1_000_000;

describe('requests to APIs', () => {
  it('carries text of any language both ways, with status and headers', async () => {
    const { url } = await serve(async (request, response) => {
      const sent = await wholeOf(request);
      response.writeHead(418, { 'content-type': 'application/json', 'x-request-id': 'r1' });
      response.end(`${request.method} ${request.headers['content-type']} ${sent}`);
    });
    const response = await post(url, { body: '{"text":"日本語 🎉"}' });
    expect(response.status).toBe(418);
    expect(response.ok).toBe(false);
    expect(response.header('x-request-id')).toBe('r1');
    expect(await response.text(enough)).toBe('POST application/json {"text":"日本語 🎉"}');
  });

  it('gives what comes in pieces as it comes', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      setTimeout(() => response.end('data: 2\n\n'), 20);
    });
    const response = await post(url);
    const pieces: string[] = [];
    for await (const piece of response.body) pieces.push(new TextDecoder().decode(piece));
    expect(pieces).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('keeps the connection, and sends nothing twice when the server closes a kept one', async () => {
    const sockets = new Set<Socket>();
    let requests = 0;
    const { url } = await serve((request, response) => {
      requests += 1;
      sockets.add(request.socket);
      // Whoever sent it cannot know that this server has seen it.
      if (requests === 3) request.socket.resetAndDestroy();
      else response.end('ok');
    });
    for (let call = 0; call < 2; call += 1) expect(await (await post(url)).text(enough)).toBe('ok');
    expect(sockets.size).toBe(1);
    await expect(post(url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(requests).toBe(3);
    expect(await (await post(url)).text(enough)).toBe('ok');
  });

  it('fails when a server changes to another protocol without being asked', async () => {
    const { url } = await serve((request) => {
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    });
    await expect(post(url)).rejects.toThrow('without a reply');
  });

  it('keeps the connection of a released reply that ends soon, and closes that of one that does not', async () => {
    const sockets = new Set<Socket>();
    const closed: Promise<unknown>[] = [];
    const { url } = await serve((request, response) => {
      if (!sockets.has(request.socket)) closed.push(once(request.socket, 'close'));
      sockets.add(request.socket);
      response.write('wanted');
      if (request.url!.endsWith('ends')) setTimeout(() => response.end('rest'), 20);
    });
    const begun = async (address: string) => {
      const response = await post(address);
      for await (const piece of response.body) {
        expect(new TextDecoder().decode(piece)).toBe('wanted');
        break;
      }
      response.release();
    };
    await begun(`${url}?ends`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await begun(`${url}?stays`);
    expect(sockets.size).toBe(1);
    await Promise.all(closed);
  });

  it('a redirect to another origin gets no keys, whatever their headers are called', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers);
      response.end('other');
    });
    const { url } = await serve((request, response) => {
      seen.push(request.headers);
      const location = request.url!.endsWith('within') ? '/away' : other.url;
      response.writeHead(307, { location }).end();
    });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer k', 'api-key': 'k' };
    const response = await postTo(new URL(`${url}/within`), {})({ headers, body: '{}', signal: never });
    expect(await response.text(enough)).toBe('other');
    expect(seen.map((sent) => [sent.authorization, sent['api-key'], sent['content-type']])).toEqual([
      ['Bearer k', 'k', 'application/json'],
      ['Bearer k', 'k', 'application/json'],
      [undefined, undefined, 'application/json'],
    ]);
  });

  it('gives up redirects that have no end, lead to no server, or would change the request', async () => {
    let requests = 0;
    const { url } = await serve((request, response) => {
      requests += 1;
      const [status, location] = decodeURIComponent(request.url!.split('?')[1]!).split(' ');
      response.writeHead(Number(status), { location: location === '' ? request.url! : location! }).end();
    });
    for (const [query, sent] of [
      ['307 ', 6],
      ['308 file:///etc/passwd', 1],
      ['307 http://', 1],
      ['302 /login', 1],
    ] as const) {
      requests = 0;
      const address = new URL(url);
      address.search = `?${query.replace(' ', '%20')}`;
      expect((await post(address.href)).status).toBe(Number(query.slice(0, 3)));
      expect(requests).toBe(sent);
    }
  });

  it('follows a redirect with the same body', async () => {
    const { url } = await serve(async (request, response) => {
      if (request.url === '/moved') response.end(`moved: ${await wholeOf(request)}`);
      else response.writeHead(307, { location: '/moved' }).end();
    });
    expect(await (await post(url, { body: '{"a":1}' })).text(enough)).toBe('moved: {"a":1}');
  });

  it('reads bodies that were compressed without being asked for', async () => {
    const { url } = await serve((request, response) => {
      const brotli = request.url!.endsWith('br');
      response.setHeader('content-encoding', brotli ? 'br' : 'GZIP');
      response.end(brotli ? brotliCompressSync('small') : gzipSync('small'));
    });
    expect(await (await post(`${url}?gzip`)).text(enough)).toBe('small');
    expect(await (await post(`${url}?br`)).text(enough)).toBe('small');
  });

  it('half a body fails when it is read, whether its length is known or not', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(200, request.url!.endsWith('known') ? { 'content-length': '100' } : {});
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    });
    const known = await post(`${url}?known`);
    await expect(known.text(enough)).rejects.toThrow();
    const unknown = await post(url);
    await expect(unknown.text(enough)).rejects.toThrow();
  });

  it('ends when it is aborted, before the reply and in the middle of it', async () => {
    const { url } = await serve((request, response) => {
      if (!request.url!.endsWith('begun')) return;
      response.write('begun');
    });
    const before = new AbortController();
    const waiting = post(url, { signal: before.signal });
    setTimeout(() => before.abort(), 20);
    await expect(waiting).rejects.toThrow(/abort/i);
    const within = new AbortController();
    const response = await post(`${url}?begun`, { signal: within.signal });
    setTimeout(() => within.abort(), 20);
    await expect(response.text(enough)).rejects.toThrow();
    await expect(post(url, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('says with its code why no connection came about', async () => {
    const { url, server } = await serve(() => {});
    server.close();
    await once(server, 'close');
    await expect(post(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('answers without a body have none', async () => {
    const { url } = await serve((_, response) => response.writeHead(204).end());
    const response = await post(url);
    expect([response.status, await response.text(enough)]).toEqual([204, '']);
  });

  it('a body that is too long is not read to its end, and its connection is given up', async () => {
    const closed: Promise<unknown>[] = [];
    const { url } = await serve((request, response) => {
      closed.push(new Promise((resolve) => request.socket.on('close', resolve)));
      const zip = request.url!.endsWith('gzip');
      if (zip) response.setHeader('content-encoding', 'gzip');
      const piece = Buffer.alloc(64 * 1024, 'x');
      response.write(zip ? gzipSync(piece) : piece);
    });
    for (const address of [url, `${url}?gzip`]) {
      await expect((await post(address)).text(1000)).rejects.toThrow(BodyTooLargeError);
    }
    await Promise.all(closed);
  });
});
