import { describe, expect, test } from 'vitest';
import { createLearnedUsage, type UsageSample } from './learned-usage.ts';

function sample(fields: Partial<UsageSample> = {}): UsageSample {
  return {
    model: 'm',
    userId: 1,
    basis: 'estimated',
    expected: 100,
    prompt: 100,
    completion: 200,
    isCut: false,
    limit: undefined,
    duration: 1_000,
    ...fields,
  };
}

describe('learned usage', () => {
  test('the usual output is the upper quartile of the samples that were not cut off', () => {
    const learned = createLearnedUsage();
    for (const completion of [100, 200, 300, 400]) learned.note(sample({ completion }));
    learned.note(sample({ completion: 9_000, isCut: true }));
    expect(learned.mostResponses('m')).toBe(300);
    expect(learned.mostResponses('other')).toBeUndefined();
  });

  test('samples of one caller do not change estimates of others', () => {
    const learned = createLearnedUsage();
    for (const userId of [1, 2, 3]) for (let turn = 0; turn < 3; turn += 1) learned.note(sample({ userId }));
    for (let turn = 0; turn < 100; turn += 1) learned.note(sample({ userId: 9, completion: 1e6, prompt: 1e6 }));
    expect(learned.mostResponses('m')).toBe(200);
    expect(learned.promptTokens('m', 2, 1_000, 'estimated')).toBe(1_000);
    expect(learned.promptTokens('m', 9, 1_000, 'estimated')).toBe(50_000);
  });

  test('samples with images change estimates of prompts with images only', () => {
    const learned = createLearnedUsage();
    expect(learned.knowsPrompts('m', 'media')).toBe(false);
    learned.note(sample({ basis: 'media', expected: 300, prompt: 1_500 }));
    expect(learned.promptTokens('m', 1, 300, 'media')).toBe(1_500);
    expect(learned.promptTokens('m', 2, 600, 'media')).toBe(3_000);
    expect(learned.promptTokens('m', 1, 300, 'counted')).toBe(300);
  });

  test('a constant surplus of the provider is added, not multiplied, and estimates are never lowered', () => {
    const learned = createLearnedUsage();
    learned.note(sample({ basis: 'counted', expected: 8, prompt: 20 }));
    learned.note(sample({ basis: 'counted', expected: 200, prompt: 150 }));
    expect(learned.promptTokens('m', 1, 8, 'counted')).toBe(20);
    expect(learned.promptTokens('m', 1, 1_000, 'counted')).toBe(1_012);
  });

  test('an upstream that exceeded a token limit is known to ignore limits', () => {
    const learned = createLearnedUsage();
    learned.note(sample({ limit: 190, completion: 200 }));
    expect(learned.ignoresLimits('m', 1)).toBe(false);
    learned.note(sample({ limit: 100, completion: 200 }));
    expect(learned.ignoresLimits('m', 1)).toBe(true);
    // Others have not seen it do so.
    expect(learned.ignoresLimits('m', 2)).toBe(false);
  });

  test('the numbers of models and callers are limited', () => {
    const learned = createLearnedUsage();
    learned.note(sample({ model: 'first' }));
    for (let index = 0; index < 3_000; index += 1) learned.note(sample({ model: `m${index}` }));
    expect(learned.mostResponses('first')).toBeUndefined();
    expect(learned.mostResponses('m2999')).toBe(200);
  });

  test('with many callers, medians are computed at most once a second', () => {
    let time = 0;
    const learned = createLearnedUsage(() => time);
    for (let userId = 1; userId <= 64; userId += 1) learned.note(sample({ userId }));
    expect(learned.mostResponses('m')).toBe(200);
    for (let userId = 1; userId <= 64; userId += 1) learned.note(sample({ userId, completion: 800 }));
    time = 999;
    expect(learned.mostResponses('m')).toBe(200);
    time = 1_000;
    expect(learned.mostResponses('m')).toBe(800);
  });

  test('with few callers, every sample counts at once', () => {
    const learned = createLearnedUsage(() => 0);
    learned.note(sample());
    expect(learned.mostResponses('m')).toBe(200);
    learned.note(sample({ completion: 800 }));
    expect(learned.mostResponses('m')).toBe(800);
  });

  test('the least recently used are evicted: neither models that are read nor callers that keep calling', () => {
    let time = 0;
    const learned = createLearnedUsage(() => (time += 1_000));
    learned.note(sample({ model: 'asked' }));
    for (let index = 0; index < 3_000; index += 1) {
      learned.note(sample({ model: `m${index}` }));
      expect(learned.mostResponses('asked')).toBe(200);
    }
    learned.note(sample({ userId: 1, prompt: 300 }));
    for (let userId = 2; userId < 200; userId += 1) {
      learned.note(sample({ userId }));
      learned.note(sample({ userId: 1, prompt: 300 }));
    }
    expect(learned.promptTokens('m', 1, 1_000, 'estimated')).toBe(3_000);
  });

  test('speed is completion tokens per second', () => {
    const learned = createLearnedUsage();
    learned.note(sample({ completion: 300, duration: 2_000 }));
    expect(learned.tokensPerSecond('m')).toBe(150);
  });
});
