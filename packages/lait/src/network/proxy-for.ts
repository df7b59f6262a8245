type Variables = Readonly<Record<string, string | undefined>>;

/** Ports that a `NO_PROXY` entry with a port is compared with when the address names none. */
const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy for an address: `HTTPS_PROXY` or `HTTP_PROXY` by its protocol, else `ALL_PROXY`, lower-case names first;
 * undefined when none is set, when `NO_PROXY` names the host, or when the host is this machine. A proxy without a
 * protocol is an HTTP proxy, as other programs read it.
 */
export function proxyFor(address: string | URL, variables: Variables): string | undefined {
  const url = new URL(address);
  const named = variableOf(variables, url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  const proxy = named ?? variableOf(variables, 'all_proxy');
  if (proxy === undefined || isLoopback(url.hostname) || isExcepted(url, variables)) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function variableOf(variables: Variables, name: string): string | undefined {
  return (variables[name] ?? variables[name.toUpperCase()])?.trim() || undefined;
}

/** A server of this machine is never asked through a proxy: the proxy would look for it on its own machine. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\./.test(host);
}

/** `NO_PROXY`: `*`, or hosts by name. `example.com`, `.example.com` and `*.example.com` stand for subdomains, too. */
function isExcepted({ hostname, port, protocol }: URL, variables: Variables): boolean {
  const entries = (variableOf(variables, 'no_proxy') ?? '').toLowerCase().split(/[\s,]+/);
  const actualPort = port || defaultPorts[protocol];
  return entries.some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    const host = name.replace(/^\*?\./, '');
    if (host === '' || (entryPort !== undefined && entryPort !== actualPort)) return false;
    return hostname === host || hostname.endsWith(`.${host}`);
  });
}
