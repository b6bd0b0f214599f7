import { describe, expect, it } from 'vitest';
import { providerOf } from '#server/providers/registry.ts';
import { readTokenUsage, readUsage, writeTokenUsage } from './token-usage.ts';

describe('readTokenUsage', () => {
  it('reads all parts', () => {
    const usage = readTokenUsage({
      prompt_tokens: 100,
      completion_tokens: 30,
      total_tokens: 130,
      prompt_tokens_details: { cached_tokens: 60, cached_creation_tokens: 20, audio_tokens: 5, image_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 12, audio_tokens: 3, image_tokens: 4 },
    });
    expect(usage).toEqual({
      input: 20,
      cacheRead: 60,
      cacheWrite5m: 20,
      cacheWrite1h: 0,
      output: 30,
      reasoning: 12,
      audioInput: 5,
      audioOutput: 3,
      imageInput: 7,
      imageOutput: 4,
      audioCacheRead: 0,
      imageCacheRead: 0,
    });
    expect(usage === null ? null : readTokenUsage(writeTokenUsage(usage))).toEqual(usage);
  });

  it.each([
    ['negative', -1],
    ['fractional', 1.5],
    ['a text', 'twelve'],
    ['a text with a sign', '-12'],
    ['a text with an exponent', '1e3'],
    ['a text beyond any call', '99999999999'],
    ['beyond any call', 1e15],
    ['no number', Number.NaN],
    ['a list', [1]],
  ])('returns null if a main count is %s', (_what, value) => {
    for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens']) {
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, [field]: value };
      expect(readTokenUsage(usage)).toBeNull();
      expect(readUsage(usage)).toBe('invalid');
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
  ])('counts %j as missing', (value) => expect(readTokenUsage(value)).toBeNull());

  it('ignores implausible details', () => {
    const details = { cached_tokens: -5, audio_tokens: 'many' };
    expect(
      readTokenUsage({
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: details,
        completion_tokens_details: { reasoning_tokens: 0.5 },
      }),
    ).toMatchObject({
      input: 10,
      cacheRead: 0,
      reasoning: 0,
      audioInput: 0,
    });
  });

  it('limits cached tokens to those of the prompt', () => {
    expect(
      readTokenUsage({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50, cached_creation_tokens: 50 } }),
    ).toMatchObject({
      input: 0,
      cacheRead: 10,
      cacheWrite5m: 0,
    });
  });

  it.each([{ cache_write_tokens: 30 }, { cache_creation_input_tokens: 30 }, { cache_creation_tokens: 30 }])(
    'reads what was written to a cache: %j',
    (details) => {
      const usage = { prompt_tokens: 100, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 20, ...details } };
      expect(readTokenUsage(usage)).toMatchObject({ input: 50, cacheRead: 20, cacheWrite5m: 30, cacheWrite1h: 0 });
      const forAnHour = { ...usage.prompt_tokens_details, cache_creation: { ephemeral_1h_input_tokens: 10 } };
      expect(readTokenUsage({ ...usage, prompt_tokens_details: forAnHour })).toMatchObject({
        input: 50,
        cacheWrite5m: 20,
        cacheWrite1h: 10,
      });
    },
  );

  it('reads the cache field of deepseek', () => {
    expect(readTokenUsage({ prompt_tokens: 80, completion_tokens: 1, prompt_cache_hit_tokens: 64 })).toMatchObject({
      input: 16,
      cacheRead: 64,
    });
  });

  it('counts a total without other counts as the prompt', () => {
    expect(readTokenUsage({ total_tokens: 7 })).toMatchObject({ input: 7, output: 0 });
  });

  it.each([
    { what: 'separate from the completion', completion: 15, output: 40 },
    { what: 'within it', completion: 40, output: 40 },
  ])('counts reasoning once if it is $what', ({ completion, output }) => {
    const details = { completion_tokens_details: { reasoning_tokens: 25 } };
    const usage = { prompt_tokens: 100, completion_tokens: completion, total_tokens: 140, ...details };
    expect(readTokenUsage(usage)).toMatchObject({ input: 100, output, reasoning: 25 });
    expect(readTokenUsage({ ...usage, total_tokens: 150 })).toMatchObject({ output: completion });
    // Next to the main counts, as some servers send it.
    const { completion_tokens_details: flat, ...main } = usage;
    expect(readTokenUsage({ ...main, ...flat })).toMatchObject({ input: 100, output, reasoning: 25 });
  });

  it('adds the reasoning that xAI excludes, for xAI only', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 61 };
    expect(readTokenUsage(usage, providerOf(48)?.formats['openai-chat']?.responses)).toMatchObject({ input: 10, output: 51 });
    expect(readTokenUsage(usage, providerOf(1)?.formats['openai-chat']?.responses)).toMatchObject({ input: 10, output: 1 });
  });
});
