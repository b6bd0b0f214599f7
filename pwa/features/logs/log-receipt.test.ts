import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pricedTools } from '#shared/hosted-tools.ts';
import { unitKinds } from '#shared/call-units.ts';
import type { LogOther } from '#shared/logs.ts';
import { costOf, costWithTools } from '#shared/pricing.ts';
import { receiptSums } from '#pwa/ui/billing/receipt-sums.ts';
import { receiptOfRow } from './log-receipt.ts';

const words = {
  part: (name: string) => name,
  advice: (model: string, count: number) => `${model} ${count}`,
  group: (name: string) => name,
  quotaPerUnit: 500_000,
  inCurrency: true,
};

const tokens = fc.nat({ max: 5_000_000 });
/** Ratios as people write them, and some as computers do. */
const ratio = fc.oneof(
  fc.constantFrom(0.0375, 0.075, 0.1, 0.135, 0.25, 0.5, 0.8, 1, 1.25, 1.5, 4, 5, 15, 37.5),
  fc.integer({ min: 1, max: 100_000 }).map((digits) => digits / 1000),
  fc.double({ min: 1e-6, max: 80, noNaN: true }),
);
const usageRow = fc
  .record({
    prompt: tokens,
    completion: tokens,
    cached: tokens,
    written: tokens,
    writtenLong: tokens,
    thinking: tokens,
    model: ratio,
    out: ratio,
    cache: ratio,
    write: ratio,
    writeLong: ratio,
    heard: tokens,
    spoken: tokens,
    hear: ratio,
    speak: ratio,
    group: ratio,
    tools: fc.uniqueArray(fc.record({ kind: fc.constantFrom(...pricedTools), calls: fc.integer({ min: 1, max: 50 }), price: ratio }), {
      selector: ({ kind }) => kind,
      maxLength: 3,
    }),
    advice: fc.array(fc.record({ model: fc.constant('m'), prompt_tokens: tokens, completion_tokens: tokens, price: ratio }), {
      maxLength: 2,
    }),
  })
  .map((row) => {
    const cached = Math.min(row.cached, row.prompt);
    const written = Math.min(row.written, row.prompt - cached);
    const writtenLong = Math.min(row.writtenLong, row.prompt - cached - written);
    const heard = Math.min(row.heard, row.prompt - cached - written - writtenLong);
    const other: LogOther = {
      model_ratio: row.model,
      completion_ratio: row.out,
      cache_ratio: row.cache,
      cache_creation_ratio: row.write,
      cache_creation_ratio_1h: row.writeLong,
      model_price: -1,
      group_ratio: row.group,
      cache_tokens: cached,
      cache_creation_tokens: written + writtenLong,
      cache_creation_tokens_1h: writtenLong,
      reasoning_tokens: row.thinking,
      audio_input: heard,
      audio_output: row.spoken,
      audio_ratio: row.hear,
      audio_output_ratio: row.speak,
      prompt_source: 'upstream',
      completion_source: 'counted',
      hosted_calls: row.tools,
      advice: row.advice,
    };
    const { quota } = costWithTools(
      {
        promptTokens: row.prompt,
        completionTokens: row.completion,
        cachedTokens: cached,
        cacheCreationTokens: written,
        cacheCreation1hTokens: writtenLong,
        audioInputTokens: heard,
        audioOutputTokens: row.spoken,
      },
      {
        kind: 'usage',
        modelRatio: row.model,
        completionRatio: row.out,
        cacheRatio: row.cache,
        cacheCreationRatio: row.write,
        cacheCreation1hRatio: row.writeLong,
        audioInputRatio: row.hear,
        audioOutputRatio: row.speak,
        imageInputRatio: 1,
        imageOutputRatio: 1,
      },
      { groupRatio: row.group, tools: [...row.tools, ...row.advice.map(({ price }) => ({ kind: 'other' as const, calls: 1, price }))] },
    );
    return { log: { quota, prompt_tokens: row.prompt, completion_tokens: row.completion, group: 'vip' }, other };
  });
const someUnits = fc.option(fc.record({ kind: fc.constantFrom(...unitKinds), count: fc.integer({ min: 1, max: 5000 }) }), {
  nil: undefined,
});
const callRow = fc.record({ price: ratio, group: ratio, units: someUnits }).map(({ price, group, units }) => ({
  log: {
    quota: costOf(
      { promptTokens: 1, completionTokens: 0, ...(units === undefined ? {} : { units }) },
      { kind: 'call', modelPrice: price },
      group,
    ).quota,
    prompt_tokens: 1,
    completion_tokens: 0,
    group: 'vip',
  },
  other: { model_price: price, group_ratio: group, model_ratio: 0, units } satisfies LogOther,
}));

test.each([
  ['dollars', true, 500_000],
  ['quota units', false, 500_000],
  ['dollars of another worth', true, 200_000],
])('receipt: what is shown in %s always adds up to what was charged', (_name, inCurrency, quotaPerUnit) => {
  fc.assert(
    fc.property(fc.oneof(usageRow, callRow), ({ log, other }) => {
      const receipt = receiptOfRow(log, other, { ...words, inCurrency, quotaPerUnit });
      if (receipt === null) throw new Error('no receipt');
      expect(receipt.addsUp).toBe(true);
      const { lines, factors } = receipt;
      const stepsPerUnit = inCurrency ? 1_000_000 / quotaPerUnit : 100;
      const sums = receiptSums({ lines, factors, charged: log.quota, quotaPerUnit, stepsPerUnit });
      const total = [...sums.lines, ...sums.factors, sums.rounding].reduce((sum, step) => sum + step, 0);
      expect(total).toBe(Math.round(log.quota * stepsPerUnit));
    }),
  );
});

test('receipt: a row that was charged more than its tokens explain says so', () => {
  const other: LogOther = { model_ratio: 1.25, completion_ratio: 4, model_price: -1, group_ratio: 0.8 };
  const log = { quota: 4292, prompt_tokens: 2148, completion_tokens: 536, group: 'vip' };
  expect(receiptOfRow(log, other, words)).toMatchObject({ addsUp: true });
  expect(receiptOfRow({ ...log, quota: 4392 }, other, words)).toMatchObject({ addsUp: false });
});

test('receipt: searches of a reranker are a line at the price per call', () => {
  const other: LogOther = { model_price: 0.002, model_ratio: 0, group_ratio: 1, units: { kind: 'search', count: 3 } };
  const receipt = receiptOfRow({ quota: 3000, prompt_tokens: 512, completion_tokens: 0, group: 'default' }, other, words);
  expect(receipt).toEqual({ lines: [{ name: 'search', quantity: 3, price: 0.002, isPerCall: true }], factors: [], addsUp: true });
});

test('receipt: a minute of a session is told from one of sound', () => {
  const units = { kind: 'minute', count: 500, factor: 0.001, from: 60 } as const;
  const other: LogOther = { model_price: 0.05, model_ratio: 0, group_ratio: 1, units };
  const receipt = receiptOfRow({ quota: 12_500, prompt_tokens: 500, completion_tokens: 0, group: 'default' }, other, words);
  expect(receipt).toEqual({
    lines: [{ name: 'session_minute', quantity: 500, price: 0.00005, isPerCall: true }],
    factors: [],
    addsUp: true,
  });
});

test('receipt: a minute of sound is paid in thousandths', () => {
  const other: LogOther = { model_price: 0.006, model_ratio: 0, group_ratio: 1, units: { kind: 'minute', count: 167, factor: 0.001 } };
  const receipt = receiptOfRow({ quota: 501, prompt_tokens: 167, completion_tokens: 0, group: 'default' }, other, words);
  expect(receipt).toEqual({ lines: [{ name: 'minute', quantity: 167, price: 0.000006, isPerCall: true }], factors: [], addsUp: true });
});

test('receipt: cached input has its own line at its own price, and thinking is a part of the output', () => {
  const other: LogOther = {
    model_ratio: 1.5,
    completion_ratio: 5,
    cache_ratio: 0.1,
    model_price: -1,
    group_ratio: 1,
    cache_tokens: 12_288,
    reasoning_tokens: 500,
    prompt_source: 'upstream',
    completion_source: 'estimated',
  };
  const receipt = receiptOfRow({ quota: 21_194, prompt_tokens: 17_508, completion_tokens: 1536, group: 'default' }, other, words);
  expect(receipt).toEqual({
    lines: [
      { name: 'prompt', quantity: 5220, price: 3, source: 'upstream' },
      { name: 'cached', quantity: 12_288, price: 0.3, source: 'upstream' },
      { name: 'completion', quantity: 1036, price: 15, source: 'estimated' },
      { name: 'thinking', quantity: 500, price: 15, source: 'estimated' },
    ],
    factors: [],
    addsUp: true,
  });
});

test('receipt: a row that does not know its prices has none', () => {
  const log = { quota: 5, prompt_tokens: 1, completion_tokens: 1, group: '' };
  expect(receiptOfRow(log, null, words)).toBeNull();
  expect(receiptOfRow(log, {}, words)).toBeNull();
});

test('what was spoken or drawn is of the origin of the output, and units of their own', () => {
  const usage = {
    model_ratio: 1,
    completion_ratio: 4,
    model_price: -1,
    group_ratio: 1,
    audio: true,
    audio_input: 10,
    audio_output: 20,
    audio_ratio: 8,
    audio_output_ratio: 16,
    image_output: 30,
    image_output_ratio: 32,
    prompt_source: 'upstream',
    completion_source: 'estimated',
  } satisfies LogOther;
  const receipt = receiptOfRow({ quota: 1, prompt_tokens: 100, completion_tokens: 60, group: 'default' }, usage, words);
  expect(receipt?.lines.map(({ name, source }) => [name, source])).toEqual([
    ['prompt', 'upstream'],
    ['audio_input', 'upstream'],
    ['completion', 'estimated'],
    ['audio_output', 'estimated'],
    ['image_output', 'estimated'],
  ]);
  const ofUnits = (kind: 'minute' | 'character' | 'image' | 'search') => {
    const other = { model_price: 0.1, group_ratio: 1, prompt_source: 'upstream', units: { kind, count: 2 } } satisfies LogOther;
    return receiptOfRow({ quota: 1, prompt_tokens: 1, completion_tokens: 0, group: 'default' }, other, words)?.lines[0]?.source;
  };
  expect([ofUnits('minute'), ofUnits('character'), ofUnits('image'), ofUnits('search')]).toEqual([
    'upstream',
    'counted',
    'counted',
    undefined,
  ]);
});
