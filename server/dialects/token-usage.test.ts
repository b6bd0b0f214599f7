// Usage in the words of every format and back: totals agree, and no class that a format knows is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputTokens } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import * as claude from './claude/token-usage.ts';
import * as openaiChat from './openai-chat/token-usage.ts';
import { withUsage } from './token-usage.ts';

const count = fc.integer({ min: 0, max: 1_000_000 });
const share = fc.double({ min: 0, max: 1, noNaN: true });
const usages = fc
  .record({ input: fc.integer({ min: 1, max: 1_000_000 }), cacheRead: count, cacheWrite5m: count, cacheWrite1h: count, output: count })
  .chain((main) =>
    fc
      .record({ reasoning: share, audioInput: share, audioOutput: share, imageInput: share, imageOutput: share })
      .map((shares): TokenUsage => {
        const input = inputTokens(withUsage(null, main));
        const of = (total: number, part: number) => Math.floor(total * part);
        return {
          ...main,
          reasoning: of(main.output, shares.reasoning),
          audioInput: of(input, shares.audioInput),
          audioOutput: of(main.output, shares.audioOutput),
          imageInput: of(input, shares.imageInput),
          imageOutput: of(main.output, shares.imageOutput),
        };
      }),
  );

describe('usage there and back', () => {
  it("in Claude's words: every class but sound and images", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const read = withUsage(null, claude.readTokenUsage(claude.writeTokenUsage(usage)));
        expect(read).toEqual({ ...usage, audioInput: 0, audioOutput: 0, imageInput: 0, imageOutput: 0 });
      }),
    );
  });

  it("in OpenAI's words: every class, cache writes together", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        const read = openaiChat.readTokenUsage(openaiChat.writeTokenUsage(usage));
        expect(read).toEqual({ ...usage, cacheWrite5m: usage.cacheWrite5m + usage.cacheWrite1h, cacheWrite1h: 0 });
      }),
    );
  });

  it('an hour of cache is told apart from five minutes', () => {
    const told = {
      input_tokens: 5,
      output_tokens: 2,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    };
    expect(claude.readTokenUsage(told)).toMatchObject({ input: 5, cacheWrite5m: 10, cacheWrite1h: 20, output: 2 });
  });
});
