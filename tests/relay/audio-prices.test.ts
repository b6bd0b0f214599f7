// Calls with audio input and output, which have separate prices.
import { describe, expect, test } from 'vitest';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { quotaOf } from '#shared/pricing.ts';
import type { LogOther } from '#shared/logs.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

const model = 'gpt-4o-audio-preview-2024-12-17';
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
const spoken = {
  model,
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'wav' },
  max_tokens: 200,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'What is it that I say?' }, audio] }],
};
const usage = {
  prompt_tokens: 120,
  completion_tokens: 90,
  total_tokens: 210,
  prompt_tokens_details: { audio_tokens: 100, cached_tokens: 0 },
  completion_tokens_details: { audio_tokens: 70, reasoning_tokens: 0 },
};

describe.each(oneEngine)('audio on $kind', (engine) => {
  const open = (options: { quota?: number } = {}) =>
    createScene(engine, {
      channels: [{ models: model }],
      // Of text: 1.25 and four times that; of audio: 16 times as much, and twice that.
      settings: { ModelRatio: JSON.stringify({ [model]: 1.25 }) },
      ...options,
    });

  test('is charged at its own price, and its receipt adds up', async () => {
    await using scene = await open();
    scene.upstream.behave({ usage });
    expect((await scene.chat(spoken)).status).toBe(200);
    const [row] = await scene.logs(1);
    // (20 × 1 + 100 × 16 + 20 × 4 + 70 × 32) × 1.25
    expect(row?.quota).toBe(4_925);
    const other = row?.other as LogOther;
    expect(other).toMatchObject({
      audio: true,
      audio_input: 100,
      audio_output: 70,
      text_input: 20,
      text_output: 20,
      audio_ratio: 16,
      audio_completion_ratio: 2,
    });
    const price = priceOfLog(other);
    if (row === undefined || price === null) throw new Error('There is no receipt');
    expect(quotaOf(usageOfLog(row, other), price, 1)).toBe(4_925);
    await scene.checkBooks();
  });

  test('is reserved for at its own price before it is called', async () => {
    // Enough for all of it as text, many times, and not for 200 tokens of speech: (100 × 16 + 200 × 32) × 1.25 is 10,000.
    await using scene = await open({ quota: 9_000 });
    scene.upstream.behave({ usage });
    const { messages, ...rest } = spoken;
    expect((await scene.chat({ ...rest, messages, modalities: ['text'] })).status).toBe(200);
    const [row] = await scene.logs(1);
    const before = await scene.balance();
    expect(before).toBe(9_000 - (row?.quota ?? 0));
    const refused = await scene.chat(spoken);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('quota');
    expect(await scene.balance()).toBe(before);
    await scene.checkBooks();
  });
});
