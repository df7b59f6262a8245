import fc from 'fast-check';
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
    ['base32', 'MFRGGJ3EMVTAU43FMNXW4ZBNNRUW4ZJNN5TC22LUEDTJPJPGTSWCB4E7U2FCA'],
    ['in mixed case', `A${secret.slice(1)}`],
    ['reversed', [...secret].reverse().join('')],
    ['JSON-escaped twice', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    [
      'JSON-escaped six times',
      [1, 2, 3, 4, 5, 6].reduce((text) => JSON.stringify(text).slice(1, -1), secret),
    ],
    ['JSON-escaped as ASCII', String.raw`abc'def\nsecond-line-of-it \u65e5\u672c \ud83e\udd8a `],
    ['base64 of its JSON', Buffer.from(JSON.stringify(secret).slice(1, -1)).toString('base64')],
    ['base64 twice', Buffer.from(Buffer.from(secret).toString('base64')).toString('base64')],
  ])('[secrets.masked] hides a secret %s', (_, form) => {
    // White space at the end of a secret is none.
    expect(registry.mask(`<${form}>`)).toMatch(/^<\[REDACTED\] ?>$/);
    expect(registry.mask(`x${form}`)).toMatch(/^x\[REDACTED\]/);
  });

  it('[secrets.masked] hides a secret inside a longer base64 text, wherever it begins', () => {
    const keys = new SecretRegistry();
    keys.add('correct-horse-battery');
    for (const user of ['a:', 'ab:', 'abc:']) {
      const encoded = Buffer.from(`${user}correct-horse-battery!`).toString('base64');
      expect(keys.mask(encoded)).toContain('[REDACTED]');
    }
  });

  it.each([
    ['of HTML by jq', 'p&lt;w&gt;&amp;&quot;x&apos;/\\y'],
    ['of HTML by others', 'p&lt;w&gt;&amp;&quot;x&#39;/\\y'],
    ['of a shell word', `p<w>&"x'\\''/\\y`],
    ['of CSV', `p<w>&""x'/\\y`],
    ['of TSV', `p<w>&"x'/\\\\y`],
    ['of JSON by Go', String.raw`p\u003cw\u003e\u0026\"x'/\\y`],
    ['of JSON by PHP', String.raw`p<w>&\"x'\/\\y`],
  ])('[secrets.masked] hides a secret with the escapes %s', (_, form) => {
    const marks = new SecretRegistry();
    marks.add(`p<w>&"x'/\\y`);
    expect(marks.mask(`<${form}>`)).toBe('<[REDACTED]>');
  });

  it.each(['\n', '\r\n', '\n    ', '\\\n', '\\n', '\\\\n'])(
    '[secrets.masked] hides a secret with a line break inside: %j',
    (lineBreak) => {
      const keys = new SecretRegistry();
      keys.add("abc'defg");
      const forms = ["abc'defg", "ABC'DEFG", Buffer.from("abc'defg").toString('base64')];
      for (const form of forms) {
        for (let at = 1; at < form.length; at += 1) {
          const broken = `one${lineBreak}${form.slice(0, at)}${lineBreak}${form.slice(at)}${lineBreak}two`;
          expect(keys.mask(broken)).toBe(`one${lineBreak}[REDACTED]${lineBreak}two`);
        }
      }
    },
  );

  it.each([
    ['ΚΛΕΙΔΊΣ-ΜΟΥ', 'x κλειδίς-μου y'],
    ['ΠΆΣΣ', 'x πάςς y'],
    ['πάσς', 'xΠΆΣΣy'],
    ['ÄPFELGELD', 'x äpfelgeld İ y'],
    ['İĞNEDEN-İP', 'x iğneden-ip y'],
  ])('[secrets.masked] hides %s whatever case and neighbours its letters have: %s', (letters, text) => {
    const keys = new SecretRegistry();
    keys.add(letters);
    expect(keys.mask(text)).toMatch(/^x ?\[REDACTED\]( İ)? ?y$/);
  });

  it('hides no prose that has the letters of a short secret in several words', () => {
    const short = new SecretRegistry();
    short.add('then');
    short.add('pä"ss');
    expect(short.mask('the next, the\nnext, t h e n; then')).toBe('the next, the\nnext, t h e n; [REDACTED]');
    const escaped = JSON.stringify(JSON.stringify('pä"ss'));
    expect(short.mask(escaped)).toBe(escaped.replace('pä\\\\\\"ss', '[REDACTED]'));
    expect(short.mask('dGhl bg==')).toBe('[REDACTED]');
  });

  it('takes no longer for texts that begin like a secret again and again', () => {
    const long = 'a'.repeat(20_000);
    const keys = new SecretRegistry();
    keys.add(long);
    keys.add(`${long}b`);
    keys.add(`${'ab '.repeat(5000)}c`);
    // Compared letter by letter from each place, these would be some 10^10 comparisons.
    expect(keys.mask('a'.repeat(500_000))).toBe('[REDACTED]');
    const near = `${'a'.repeat(19_999)}c`.repeat(25);
    expect(keys.mask(near)).toBe(near);
    const nearly = 'ab '.repeat(150_000);
    expect(keys.mask(nearly)).toBe(nearly);
  });

  it('leaves everything else as it is', () => {
    const keys = new SecretRegistry();
    keys.add('correct-horse');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const text = `${before}\n${after}`;
        fc.pre(!text.toLowerCase().includes('horse'));
        expect(keys.mask(text)).toBe(text);
        expect(keys.mask(`${before}_CORRECT-HORSE_${after}`)).toBe(`${before}_[REDACTED]_${after}`);
      }),
    );
  });

  it('hides a secret that is a number, and no number that holds its digits', () => {
    const pins = new SecretRegistry();
    pins.add('4711');
    expect(pins.maskValue({ pin: 4711, count: 147110, text: 'pin 4711' })).toEqual({
      pin: '[REDACTED]',
      count: 147110,
      text: 'pin [REDACTED]',
    });
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
