import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach } from 'vitest';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface LocalProxy {
  port: number;
  /** What it was asked for: `CONNECT host:port`, or a method and an absolute address. */
  asked: string[];
  authorizations: (string | undefined)[];
}

/** A real proxy that takes every host for this machine: names map to local ports. `status`: refuses with it. */
export async function startProxy(
  hosts: Readonly<Record<string, number>>,
  status?: number,
): Promise<LocalProxy> {
  const proxy: LocalProxy = { port: 0, asked: [], authorizations: [] };
  const server = createServer((incoming, outgoing) => {
    proxy.asked.push(`${incoming.method} ${incoming.url}`);
    proxy.authorizations.push(incoming.headers['proxy-authorization']);
    if (status !== undefined) {
      outgoing.writeHead(status).end();
      return;
    }
    const { host, pathname, search } = new URL(incoming.url!);
    const { method, headers } = incoming;
    const forwarded = request(
      { host: '127.0.0.1', port: hosts[host], path: pathname + search, method, headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode!, reply.headers);
        reply.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
  });
  server.on('connect', (incoming, socket) => {
    proxy.asked.push(`CONNECT ${incoming.url}`);
    proxy.authorizations.push(incoming.headers['proxy-authorization']);
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
      return;
    }
    const target = connect(hosts[incoming.url!]!, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) end.on('error', () => end.destroy());
  });
  proxy.port = await listen(server);
  return proxy;
}

/** An authority of our own and a certificate that it signed for a host. */
export function certify(host: string): { authority: string; key: Buffer; cert: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), 'lait-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  openssl('req', ...newKey, '-keyout', 'host.key', '-out', 'host.csr', '-subj', `/CN=${host}`);
  writeFileSync(join(directory, 'names'), `subjectAltName=DNS:${host}\n`);
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'host.csr', ...signed, '-out', 'host.pem', '-days', '2');
  return {
    authority: join(directory, 'ca.pem'),
    key: readFileSync(join(directory, 'host.key')),
    cert: readFileSync(join(directory, 'host.pem')),
  };
}

/** A TLS end in front of a local HTTP server. */
export function startTls(certificate: { key: Buffer; cert: Buffer }, target: number): Promise<number> {
  const server = createTlsServer(certificate, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port: target, path: url, method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  return listen(server as unknown as Server);
}
