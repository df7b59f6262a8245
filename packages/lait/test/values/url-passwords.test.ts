import { expect, it } from 'vitest';
import { urlPasswords } from '../../src/values/url-passwords.js';

it.each([
  ['postgres://user:pass-word@host:5432/name?x=1', ['pass-word']],
  ['redis://:p%40ss@host', ['p%40ss', 'p@ss']],
  ['https://x-access-token:ghp_1@github.com/a/b.git', ['ghp_1']],
  ['postgres://u:a@b:c@h1:1,h2:2/name', ['a@b:c']],
  ['amqp+ssl://u:100%@host', ['100%']],
  ['postgres://postgres:postgres@localhost/x', []],
  ['postgres://user@host/name', []],
  ['http://host:80/a:b@c', []],
  ['user:password@host', []],
  ['see http://user:password@host', []],
  ['', []],
])('the passwords of %j', (text, passwords) => expect(urlPasswords(text)).toEqual(passwords));
