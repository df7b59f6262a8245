import { UsageError } from '../../errors/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

/**
 * Reads `HOST:PORT`, `:PORT` or `PORT`; IPv6 addresses stand in brackets. Without a host only this machine is served.
 * Port 0 takes a free one. Throws a `UsageError` (code `address_invalid`).
 */
export function listenAddress(text: string): ListenAddress {
  const match = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+))?:)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new UsageError({
      code: 'address_invalid',
      message: `--http must be HOST:PORT or PORT, e.g. 127.0.0.1:8808, not '${text}'`,
    });
  }
  return { host: match[1] ?? match[2] ?? '127.0.0.1', port };
}

/** Whether only programs of this machine reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}
