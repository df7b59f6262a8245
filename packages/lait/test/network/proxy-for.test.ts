import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proxyFor } from '../../src/network/proxy-for.js';

const proxies = { HTTPS_PROXY: 'http://proxy:3128', HTTP_PROXY: 'proxy:8080' };

it('[network.proxy] the protocol of the address chooses the proxy, lower-case names win, an empty value is none', () => {
  expect(proxyFor('https://api.example.com/v1', proxies)).toBe('http://proxy:3128');
  expect(proxyFor('http://api.example.com/v1', proxies)).toBe('http://proxy:8080');
  expect(proxyFor('https://api.example.com', { ...proxies, https_proxy: 'http://other:1' })).toBe(
    'http://other:1',
  );
  expect(proxyFor('https://api.example.com', { ALL_PROXY: 'http://all:1' })).toBe('http://all:1');
  expect(proxyFor('https://api.example.com', { HTTPS_PROXY: ' ' })).toBeUndefined();
  expect(proxyFor('https://api.example.com', { HTTP_PROXY: 'http://proxy' })).toBeUndefined();
});

it.each([
  ['*', 'https://api.example.com', true],
  ['example.com', 'https://api.example.com', true],
  ['.example.com', 'https://api.example.com', true],
  ['*.example.com', 'https://example.com', true],
  ['EXAMPLE.com , other.org', 'https://example.com', true],
  ['example.com:8443', 'https://example.com', false],
  ['example.com:8443', 'https://example.com:8443', true],
  ['example.com:443', 'https://example.com', true],
  ['ample.com', 'https://example.com', false],
  ['10.0.0.7', 'https://10.0.0.7:11434', true],
  ['', 'https://example.com', false],
])('[network.no-proxy] NO_PROXY=%s and %s', (no_proxy, address, excepted) => {
  expect(proxyFor(address, { ...proxies, NO_PROXY: no_proxy }) === undefined).toBe(excepted);
});

it('[network.no-proxy] this machine is never asked through a proxy, whatever the port and path', () => {
  const host = fc.constantFrom('localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'models.localhost');
  fc.assert(
    fc.property(host, fc.integer({ min: 1, max: 65535 }), fc.webPath(), (name, port, path) => {
      expect(proxyFor(`http://${name}:${port}${path}`, proxies)).toBeUndefined();
    }),
  );
});
