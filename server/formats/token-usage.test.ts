// Round trips of usage in every format: totals agree, and no supported class is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TokenUsage } from '#shared/token-usage.ts';
import * as claude from './claude/token-usage.ts';
import * as openaiChat from './openai-chat/token-usage.ts';
import { mediaClasses, withUsage } from './token-usage.ts';

const count = fc.integer({ min: 0, max: 1_000_000 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const usages = fc
  .record({ input: fc.integer({ min: 1, max: 1_000_000 }), cacheRead: count, cacheWrite5m: count, cacheWrite1h: count, output: count })
  .chain((main) =>
    fc
      .record({
        reasoning: share,
        audioInput: share,
        audioOutput: share,
        imageInput: share,
        imageOutput: share,
        audioCacheRead: share,
        imageCacheRead: share,
      })
      .map((shares): TokenUsage => {
        const of = (total: number, part: number) => Math.floor(total * part);
        return {
          ...main,
          reasoning: of(main.output, shares.reasoning),
          audioInput: of(main.input / 2, shares.audioInput),
          audioOutput: of(main.output, shares.audioOutput),
          imageInput: of(main.input / 2, shares.imageInput),
          imageOutput: of(main.output, shares.imageOutput),
          audioCacheRead: of(main.cacheRead / 2, shares.audioCacheRead),
          imageCacheRead: of(main.cacheRead / 2, shares.imageCacheRead),
        };
      }),
  );

describe('usage there and back', () => {
  it("in Claude's words: every class but sound and images", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const read = withUsage(null, claude.readTokenUsage(claude.writeTokenUsage(usage)));
        const none = { audioInput: 0, audioOutput: 0, imageInput: 0, imageOutput: 0, audioCacheRead: 0, imageCacheRead: 0 };
        expect(read).toEqual({ ...usage, ...none });
      }),
    );
  });

  it("in OpenAI's words: every class, cache writes together", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const read = openaiChat.readTokenUsage(openaiChat.writeTokenUsage(usage));
        const writes = { cacheWrite5m: usage.cacheWrite5m + usage.cacheWrite1h, cacheWrite1h: 0 };
        // Without details, the cache is assumed to contain text first.
        expect(usage.audioCacheRead + usage.imageCacheRead > 0 ? read : { ...read, ...usage, ...writes }).toEqual({ ...usage, ...writes });
      }),
    );
  });

  it('one-hour cache writes are distinguished from five-minute ones', () => {
    const reported = {
      input_tokens: 5,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    expect(claude.readTokenUsage(reported)).toMatchObject({ input: 5, cacheWrite5m: 10, cacheWrite1h: 20, output: 2 });
  });
});

describe('cached tokens of audio and images', () => {
  it.each([
    ['as reported', { cached: { audio: 20, image: 5 } }, { audioInput: 10, imageInput: 5, audioCacheRead: 20, imageCacheRead: 5 }],
    ['text first, if not reported', { cached: null }, { audioInput: 30, imageInput: 10, audioCacheRead: 0, imageCacheRead: 0 }],
    [
      'what is left beyond the text',
      { cached: null, cacheRead: 75 },
      { audioInput: 15, imageInput: 10, audioCacheRead: 15, imageCacheRead: 0 },
    ],
    ['no more than the cache had', { cached: { audio: 90, image: 90 }, cacheRead: 25 }, { audioCacheRead: 25, imageCacheRead: 0 }],
    ['no more than there was', { cached: { audio: 45, image: 90 }, cacheRead: 60 }, { audioCacheRead: 30, imageCacheRead: 10 }],
  ])('%s', (_what, reported, classes) => {
    expect(mediaClasses({ input: 100, cacheRead: 40, audio: 30, image: 10, ...reported })).toMatchObject(classes);
  });
});
