import { describe, expect, it } from 'vitest';
import { SecretRegistry } from '../../src/values/secrets.js';

describe('SecretRegistry', () => {
  const secret = "abc'def\nsecond-line-of-it 日本 🦊 ";
  const registry = new SecretRegistry();
  registry.add(secret);

  it.each([
    ['as it is', secret],
    ['trimmed', secret.trim()],
    ['upper case', secret.toUpperCase()],
    ['lower case', secret.toLowerCase()],
    ['one line of it', 'second-line-of-it 日本 🦊'],
    ['JSON-escaped', JSON.stringify(secret).slice(1, -1)],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded as by @uri of jq', encodeURIComponent(secret).replaceAll("'", '%27')],
    ['form-encoded', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64url', Buffer.from(secret).toString('base64url')],
    ['hexadecimal', Buffer.from(secret).toString('hex')],
  ])('hides a secret %s', (_, form) => {
    expect(registry.mask(`<${form}>`)).toBe('<[REDACTED]>');
    expect(registry.occursIn(`x${form}`)).toBe(true);
  });

  it('[secrets.masked] hides a secret inside a longer base64 text, wherever it begins', () => {
    const keys = new SecretRegistry();
    keys.add('correct-horse-battery');
    for (const user of ['a:', 'ab:', 'abc:']) {
      const encoded = Buffer.from(`${user}correct-horse-battery!`).toString('base64');
      expect(keys.mask(encoded)).toContain('[REDACTED]');
    }
  });

  it('masks texts and keys of values, and gives the same object back when nothing is hidden', () => {
    const keys = new SecretRegistry();
    keys.add('k-12345678');
    expect(keys.maskValue({ a: ['x k-12345678'], 'k-12345678': 1 })).toEqual({
      a: ['x [REDACTED]'],
      '[REDACTED]': 1,
    });
    const harmless = JSON.parse('{"__proto__": {"a": 1}, "b": [null, true, 2]}');
    expect(keys.maskValue(harmless)).toBe(harmless);
    expect(keys.maskValue(JSON.parse('{"__proto__": "k-12345678"}'))).toEqual(
      JSON.parse('{"__proto__": "[REDACTED]"}'),
    );
  });

  it('replaces literally, whatever the secret looks like', () => {
    const keys = new SecretRegistry();
    keys.add('$&.*(x)');
    expect(keys.mask('a $&.*(x) b')).toBe('a [REDACTED] b');
  });

  it('ignores values that are too short to be secrets', () => {
    const keys = new SecretRegistry();
    keys.add('ab');
    keys.add(undefined);
    expect(keys.mask('ab cab')).toBe('ab cab');
  });
});
