import { describe, expect, it } from 'vitest';
import { providerOf } from '#server/upstream/providers/registry.ts';
import { readUsage, usageObject } from './usage.ts';

describe('readUsage', () => {
  it('reads all parts', () => {
    const usage = readUsage({
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 130,
      prompt_tokens_details: { cached_tokens: 60, cached_creation_tokens: 20, audio_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 3 },
    });
    expect(usage).toEqual({
      promptTokens: 100,
      completionTokens: 30,
      totalTokens: 130,
      cachedTokens: 60,
      cacheCreationTokens: 20,
      reasoningTokens: 12,
      promptAudioTokens: 5,
      completionAudioTokens: 3,
    });
    expect(usage === null ? null : readUsage(usageObject(usage))).toMatchObject({
      promptTokens: 100,
      cachedTokens: 60,
      reasoningTokens: 12,
    });
  });

  it.each([
    ['negative', -1],
    ['fractional', 1.5],
    ['a text', '12'],
    ['beyond any call', 1e15],
    ['no number', Number.NaN],
    ['a list', [1]],
  ])('takes nothing when a main number is %s', (_what, value) => {
    for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
      expect(readUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, [field]: value })).toBeNull();
    }
  });

  it.each([
    [null],
    [undefined],
    ['usage'],
    [[]],
    [{}],
    [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    [{ prompt_tokens: 5, completion_tokens: 5, total_tokens: 0 }],
  ])('counts %j as missing', (value) => expect(readUsage(value)).toBeNull());

  it('ignores details that cannot be true', () => {
    const details = { cached_tokens: -5, audio_tokens: 'many' };
    expect(
      readUsage({
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: details,
        completion_tokens_details: { reasoning_tokens: 0.5 },
      }),
    ).toMatchObject({
      promptTokens: 10,
      cachedTokens: 0,
      reasoningTokens: 0,
      promptAudioTokens: 0,
    });
  });

  it('never believes in more cached tokens than the prompt has', () => {
    expect(
      readUsage({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50, cached_creation_tokens: 50 } }),
    ).toMatchObject({
      cachedTokens: 10,
      cacheCreationTokens: 0,
    });
  });

  it('reads the cache field of deepseek', () => {
    expect(readUsage({ prompt_tokens: 80, completion_tokens: 1, prompt_cache_hit_tokens: 64 })).toMatchObject({
      promptTokens: 80,
      cachedTokens: 64,
    });
  });

  it('takes a total that stands alone for the prompt', () => {
    expect(readUsage({ total_tokens: 7 })).toMatchObject({ promptTokens: 7, completionTokens: 0, totalTokens: 7 });
  });

  it('adds the reasoning that xai leaves out, and only there', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 61 };
    expect(readUsage(usage, providerOf(48))).toMatchObject({ completionTokens: 51, totalTokens: 61 });
    expect(readUsage(usage, providerOf(1))).toMatchObject({ completionTokens: 1, totalTokens: 11 });
  });
});
