/** Names under which a server on this machine is reached. */
const loopbackNames = ['localhost', '127.0.0.1', '::1'];

/**
 * Whether a request was meant for us: a web page on another site must not reach a local server through a name that it
 * points at this machine (DNS rebinding). Allowed are the loopback names, the address we listen on, and what the user
 * lists: `name` for every port or `name:port`.
 */
export class HostCheck {
  readonly #allowed: ReadonlySet<string>;

  constructor(listenHost: string, allowedHosts: readonly string[] = []) {
    const any = ['0.0.0.0', '::'].includes(listenHost);
    this.#allowed = new Set(
      [...loopbackNames, ...(any ? [] : [listenHost]), ...allowedHosts].map((host) => normalise(host)),
    );
  }

  /** Judges the `Host` header. A request without one is refused. */
  allowsHost(header: string | undefined): boolean {
    const host = header === undefined ? undefined : split(header);
    return (
      host !== undefined && (this.#allowed.has(host.name) || this.#allowed.has(`${host.name}:${host.port}`))
    );
  }

  /** Judges the `Origin` header, which only browsers send. */
  allowsOrigin(header: string | undefined): boolean {
    if (header === undefined) return true;
    const match = /^https?:\/\/([^/]+)$/i.exec(header);
    return match !== null && this.allowsHost(match[1]);
  }
}

function normalise(host: string): string {
  const parts = split(host);
  if (parts === undefined) return host.toLowerCase();
  return parts.port === undefined ? parts.name : `${parts.name}:${parts.port}`;
}

function split(host: string): { name: string; port: string | undefined } | undefined {
  // A bare IPv6 address holds colons but no port.
  if (/^[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*$/i.test(host)) return { name: host.toLowerCase(), port: undefined };
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))(?::(\d{1,5}))?$/i.exec(host);
  if (match === null) return undefined;
  return { name: (match[1] ?? match[2]!).toLowerCase(), port: match[3] };
}
