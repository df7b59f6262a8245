import { describe, expect, it } from 'vitest';
import { normalizeUsage } from '../../src/models/usage.js';

describe('normalizeUsage', () => {
  const truth = {
    inputTokens: 60,
    cachedInputTokens: 40,
    cacheWriteTokens: 0,
    outputTokens: 30,
    reasoningTokens: 20,
  };

  it.each([
    [
      'OpenAI: cached and reasoning tokens are parts',
      {
        prompt_tokens: 100,
        completion_tokens: 30,
        total_tokens: 130,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
    ],
    [
      'the responses interface',
      {
        input_tokens: 100,
        output_tokens: 30,
        input_tokens_details: { cached_tokens: 40 },
        output_tokens_details: { reasoning_tokens: 20 },
      },
    ],
    [
      'DeepSeek',
      {
        prompt_tokens: 100,
        completion_tokens: 30,
        prompt_cache_hit_tokens: 40,
        prompt_cache_miss_tokens: 60,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
    ],
    [
      'Anthropic: cached tokens come on top',
      { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 30, reasoning_tokens: 20 },
    ],
    [
      'reasoning tokens on top',
      {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 130,
        prompt_tokens_details: { cached_tokens: 40 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
    ],
  ])('%s', (_, raw) => {
    expect(normalizeUsage(raw)).toEqual(truth);
  });

  it('[models.usage-disjoint] tells tokens that were written to a cache apart', () => {
    // As a part of the prompt (OpenRouter) and beside it (Anthropic): the same request.
    const inside = {
      prompt_tokens: 100,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 70, cache_write_tokens: 10 },
    };
    const beside = {
      input_tokens: 20,
      output_tokens: 5,
      cache_read_input_tokens: 70,
      cache_creation_input_tokens: 10,
    };
    expect(normalizeUsage(inside)).toEqual(normalizeUsage(beside));
    expect(
      normalizeUsage({
        input_tokens: 10,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 0,
        output_tokens: 1,
      }),
    ).toMatchObject({
      inputTokens: 10,
      cacheWriteTokens: 7,
    });
    expect(
      normalizeUsage({
        prompt_tokens: 17,
        cache_creation_input_tokens: 7,
        cache_read_input_tokens: 0,
        completion_tokens: 1,
      }),
    ).toMatchObject({
      inputTokens: 10,
      cacheWriteTokens: 7,
    });
  });

  it.each([
    [undefined],
    [null],
    ['12'],
    [[]],
    [{}],
    [{ prompt_tokens: '5' }],
    [{ prompt_tokens: -1 }],
    [{ total_tokens: 3 }],
  ])('is unknown for %j', (raw) => expect(normalizeUsage(raw)).toBeNull());

  it('survives nonsense in the details', () => {
    expect(
      normalizeUsage({
        prompt_tokens: 3,
        completion_tokens: 2.9,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: Number.NaN },
      }),
    ).toEqual({
      inputTokens: 3,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 2,
      reasoningTokens: 0,
    });
    expect(normalizeUsage({ prompt_tokens: 3, prompt_tokens_details: { cached_tokens: 9 } })).toMatchObject({
      inputTokens: 0,
    });
  });
});
