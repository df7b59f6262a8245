/** Where a text stops being JSON, as a character offset, and why. */
export interface JsonProblem {
  offset: number;
  message: string;
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'separator';

const blank = /[ \t\n\r]*/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?![\w.+-])/y;
const word = /"[^"\n]*"?|[\w.+-]+|./suy;

/**
 * What `JSON.parse` refuses in a text that it refuses, told the same on every version of Node and always with its
 * place. Undefined when the text is JSON.
 */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0] ?? '';
  };
  for (;;) {
    at += match(blank).length;
    const found = text[at];
    if (expected === 'separator' && open.length === 0) {
      return found === undefined
        ? undefined
        : { offset: at, message: `the JSON ends before ${shown(match(word))}: remove what follows` };
    }
    const isKey = expected.startsWith('key');
    if (found === '"' && (isKey || expected.startsWith('value'))) {
      const string = readString(text, at);
      if (typeof string !== 'number') return string;
      at = string;
      expected = isKey ? 'colon' : 'separator';
    } else if ((found === '}' || found === ']') && closes(found, expected, open)) {
      open.pop();
      at += 1;
      expected = 'separator';
    } else if ((found === '{' || found === '[') && expected.startsWith('value')) {
      open.push(found);
      at += 1;
      expected = found === '{' ? 'key or }' : 'value or ]';
    } else if (found === ':' && expected === 'colon') {
      at += 1;
      expected = 'value';
    } else if (found === ',' && expected === 'separator') {
      at += 1;
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if (expected.startsWith('value') && match(plain) !== '') {
      at += match(plain).length;
      expected = 'separator';
    } else {
      return { offset: at, message: unexpected(match(word), expected, open.at(-1)) };
    }
  }
}

/** Whether a bracket stands where the innermost object or list may end. */
function closes(bracket: '}' | ']', expected: Expected, open: readonly string[]): boolean {
  if (open.at(-1) !== (bracket === '}' ? '{' : '[')) return false;
  return expected === 'separator' || expected === (bracket === '}' ? 'key or }' : 'value or ]');
}

/** The offset behind a string that begins at `start`, or what is wrong in it. */
function readString(text: string, start: number): number | JsonProblem {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code === 0x0a || code === 0x0d)
      return { offset: start, message: 'this text is not closed on its line: a line break in it is \\n' };
    if (code < 0x20) {
      const written = code === 0x09 ? '\\t' : `\\u${code.toString(16).padStart(4, '0')}`;
      return { offset: at, message: `a control character in a text: write ${written}` };
    }
    if (code !== 0x5c) continue;
    if (!/^(?:["\\/bfnrt]|u[\da-fA-F]{4})/.test(text.slice(at + 1, at + 6))) {
      return {
        offset: at,
        message: `${shown(text.slice(at, at + 2))} is no escape of JSON: a backslash is \\\\`,
      };
    }
    at += 1;
  }
  return { offset: start, message: 'this text is never closed: a " is missing' };
}

function unexpected(found: string, expected: Expected, within: '{' | '[' | undefined): string {
  const close = within === '{' ? '}' : ']';
  const wanted = {
    value: 'a value',
    'value or ]': 'a value or `]`',
    key: 'a key in double quotes',
    'key or }': 'a key in double quotes or `}`',
    colon: '`:` behind the key',
    separator: `\`,\` or \`${close}\``,
  }[expected];
  const message = `${wanted} is expected, not ${found === '' ? 'the end of the text' : shown(found)}`;
  if ((expected === 'key' || expected === 'value') && found === close)
    return `${message}: remove the comma before it`;
  if (found === '/' || found === '#') return `${message}: JSON has no comments`;
  if (found === "'") return `${message}: JSON's quotes are double`;
  return message;
}

function shown(text: string): string {
  return `\`${text.length > 40 ? `${text.slice(0, 39)}…` : text}\``;
}
