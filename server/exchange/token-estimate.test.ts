import { afterAll, describe, expect, it } from 'vitest';
import { callKinds } from '#server/kinds/registry.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { abandonCounts, countPrompt, countText as countFor, encodingOf, estimateTextTokens } from './token-estimate.ts';

const counting = () => ({ owner: 1, isEstimated: false });
const countText = (text: string, model: string) => countFor(text, model, counting());
function countPromptTokens(body: Record<string, unknown>, kind: 'chat' | 'embeddings', model: string): Promise<number> {
  const call = callKinds[kind].clientCall(defaultClientDialect);
  if (call === undefined) throw new Error(`Nobody can ask for ${kind}`);
  return countPrompt(call.promptContent(body, model), model, counting());
}

afterAll(abandonCounts);

const english = 'The quick brown fox jumps over the lazy dog and runs away from the sleeping bear. '.repeat(40);
const chinese = '我们的服务在没有网络的时候也能打开，并且显示最近的账单和余额。'.repeat(40);

describe('counting', () => {
  it('equals the counts of the tokenizer', async () => {
    expect(await countText('Hello! How can I help you today?', 'gpt-3.5-turbo')).toBe(9);
    expect(await countText('Hello! How can I help you today?', 'gpt-4o-mini')).toBe(9);
    expect(await countText('', 'gpt-4o')).toBe(0);
  });

  it('counts special tokens in texts of clients as plain text', async () => {
    expect(await countText('<|endoftext|> <|im_start|>', 'gpt-4o')).toBeGreaterThan(2);
  });

  it('is fast for an unbroken run of letters or blanks', async () => {
    expect(await countText('a'.repeat(200_000), 'gpt-4')).toBeGreaterThan(10_000);
    expect(await countText(' '.repeat(200_000), 'gpt-4o')).toBeGreaterThan(500);
  });

  it('does not block the event loop', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await countText(english.repeat(300), 'gpt-4o');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it('estimates pending counts when it is closed, and starts again afterwards', async () => {
    const wanted = countText(english.repeat(100), 'gpt-4o');
    await abandonCounts();
    expect(await wanted).toBe(estimateTextTokens(english.repeat(100)));
    expect(await countText('one two three', 'gpt-4o')).toBe(3);
  });
});

describe('a prompt', () => {
  const count = (body: Record<string, unknown>) => countPromptTokens(body, 'chat', 'gpt-4o');
  const hi = { role: 'user', content: 'hi' };

  it('has three tokens per message, its role and text, and three at the end', async () => {
    expect(await count({ messages: [hi] })).toBe(3 + 1 + 1 + 3);
    expect(await count({ messages: [hi, { ...hi, name: 'bob' }] })).toBe(5 + 5 + 2 + 3);
  });

  it('counts every tool, not the last alone', async () => {
    const tool = (name: string) => ({
      type: 'function',
      function: { name, description: 'reads the weather of a city', parameters: { type: 'object' } },
    });
    const one = await count({ messages: [hi], tools: [tool('weather')] });
    expect(await count({ messages: [hi], tools: [tool('weather'), tool('weather')] })).toBe(one + (one - 8 - 8));
  });

  it('has a fixed number of tokens per image, and tokens by duration or size for audio and files', async () => {
    const part = (type: string, fields: object) => ({ messages: [{ role: 'user', content: [{ type, ...fields }] }] });
    const image = { url: `data:image/png;base64,${'A'.repeat(1e6)}` };
    expect(await count(part('image_url', { image_url: image }))).toBe(7 + 255);
    expect(await count(part('image_url', { image_url: { ...image, detail: 'low' } }))).toBe(7 + 85);
    expect(await count(part('input_audio', { input_audio: { data: 'A'.repeat(1e3) } }))).toBe(7 + 100);
    // 94 seconds of 64 kbit/s.
    expect(await count(part('input_audio', { input_audio: { data: 'A'.repeat(1e6) } }))).toBe(7 + 938);
    expect(await count(part('file', { file: {} }))).toBe(7 + 5000);
  });

  it('never fails, whatever it contains', async () => {
    for (const messages of [undefined, null, 'x', [null, 1, [], { content: 7 }, { content: [null, 3] }]])
      expect(await count({ messages })).toBeGreaterThanOrEqual(3);
    for (const input of [null, 5, [[1, 2, 3], ['a', 'b'], { text: 'a' }, { image: 'x' }]]) {
      expect(await countPromptTokens({ input }, 'embeddings', 'm')).toBeGreaterThanOrEqual(0);
    }
    expect(await countPromptTokens({ input: [[1, 2, 3], 'hi'] }, 'embeddings', 'm')).toBe(4);
  });
});

describe('the estimate', () => {
  it.each([
    ['English', english],
    ['Chinese', chinese],
  ])('is near the count for %s', async (_language, text) => {
    const counted = await countText(text, 'gpt-4');
    expect(estimateTextTokens(text) / counted).toBeGreaterThan(0.7);
    expect(estimateTextTokens(text) / counted).toBeLessThan(1.6);
  });

  it('takes the same time for any length', () => {
    const text = 'x'.repeat(10_000_000);
    let sum = 0;
    for (let turn = 0; turn < 1000; turn++) sum += estimateTextTokens(text);
    expect(sum).toBe(1000 * estimateTextTokens(text));
    // Reading it whole would take minutes.
  });
});

describe('the tokenizer table', () => {
  it('is the larger one for newer models of OpenAI', () => {
    for (const model of ['gpt-4o', 'chatgpt-4o-latest', 'o1', 'o3-mini', 'o4-mini', 'gpt-4.1', 'gpt-4.5-preview', 'gpt-5'])
      expect(encodingOf(model)).toBe('o200k_base');
    for (const model of ['gpt-4', 'gpt-3.5-turbo', 'claude-3', 'deepseek-chat', 'qwen']) expect(encodingOf(model)).toBe('cl100k_base');
  });
});
