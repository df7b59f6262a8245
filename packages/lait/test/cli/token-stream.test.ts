import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenStream } from '../../src/cli/run/token-stream.js';
import type { RunEvent } from '../../src/engine/events.js';

const token = (address: string, text: string): RunEvent => ({
  type: 'model.token',
  address,
  label: address,
  requestName: 'request',
  text,
});
const failed = (address: string): RunEvent => ({
  type: 'model.failed',
  address,
  label: address,
  model: 'm',
  error: { code: 'x', category: 'model', message: 'x' },
  startedAt: 0,
  endedAt: 1,
});

test('replies that arrive at the same time are shown one after the other, whole', () => {
  const names = ['a', 'b', 'c'];
  const pieces = fc.array(fc.tuple(fc.constantFrom(...names), fc.stringMatching(/^[xy\n]{1,3}$/)), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(pieces, fc.shuffledSubarray(names, { minLength: 3 }), (list, endings) => {
      let shown = '';
      const stream = new TokenStream({ result: () => {}, aside: (text) => (shown += text) });
      for (const [address, text] of list) stream.handle(token(address, text));
      for (const address of endings) stream.handle(failed(address));
      const order = [...new Set(list.map(([address]) => address))];
      const replies = new Map(
        order.map((name) => [
          name,
          list
            .filter(([address]) => address === name)
            .map(([, text]) => text)
            .join(''),
        ]),
      );
      // The first to begin is shown first; the others follow in the order in which they began.
      const expected = order.map((name) => replies.get(name)!.replace(/([^\n])$/, '$1\n')).join('');
      expect(shown).toBe(expected);
    }),
  );
});

test('the reply that is the result goes there only, without its reasoning', () => {
  let shown = '';
  let result = '';
  const stream = new TokenStream({
    resultStep: 'steps[1]',
    result: (text) => (result += text),
    aside: (text) => (shown += text),
  });
  stream.handle(token('steps[0]', 'draft'));
  stream.handle({ ...token('steps[1]', 'hmm'), reasoning: true } as RunEvent);
  stream.handle(token('steps[1]', '結'));
  stream.handle(token('steps[1]', '果'));
  expect([result, stream.result, shown]).toEqual(['結果', '結果', 'draft']);
  stream.breakLine();
  stream.breakLine();
  expect(shown).toBe('draft\n');
});
