// Prompts that the provider writes into its cache: they are reserved at the price that they are charged at.
import { describe, expect, test } from 'vitest';
import { promptContent } from '#server/formats/claude/prompt-content.ts';
import { promptContent as chatContent } from '#server/formats/openai-chat/prompt-content.ts';
import { countPrompt } from '#server/exchange/token-estimate.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene } from '#tests/support/relay-scene.ts';

/** Priced by nothing but the settings below: a token costs 10, also of the answer. */
const model = 'sea-1';
const settings = {
  ModelRatio: JSON.stringify({ [model]: 10 }),
  CompletionRatio: JSON.stringify({ [model]: 1 }),
  PreConsumedQuota: '50',
};
const text = 'High water in Brest is at noon, and in Dover at one. '.repeat(20);
const answerTokens = 100;

const writes = [
  { ttl: '5m', ratio: 1.25, reported: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 0 } },
  { ttl: '1h', ratio: 2, reported: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1 } },
];
const places = ['system', 'content', 'tools', 'body'] as const;
const cases = writes.flatMap((write) => places.map((place) => ({ ...write, place })));

function bodyWith(place: (typeof places)[number], ttl: string) {
  const control = { cache_control: { type: 'ephemeral', ttl } };
  const at = (where: string) => (where === place ? control : {});
  return {
    model,
    max_tokens: 300,
    system: [{ type: 'text', text, ...at('system') }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'When is it in Calais?', ...at('content') }] }],
    tools: [{ name: 'tide', input_schema: { type: 'object' }, ...at('tools') }],
    ...at('body'),
  };
}

describe.each(oneEngine)('cache writes on $kind', (engine) => {
  test.each(cases)(
    'a prompt that is written for $ttl, as said in $place, is reserved at $ratio times its input: no debt, all is charged',
    async ({ ttl, ratio, reported, place }) => {
      const body = bodyWith(place, ttl);
      const prompt = await countPrompt(promptContent(body), model, { owner: 0, isEstimated: false });
      const cost = Math.ceil(10 * ratio * prompt) + 10 * answerTokens;
      await using scene = await createScene(engine, { settings, channels: [{ type: 14, models: model }], quota: cost + 5 });
      const written = Object.fromEntries(Object.entries(reported).map(([name, share]) => [name, share * prompt]));
      scene.upstream.behave({
        usage: { input_tokens: 0, cache_creation_input_tokens: prompt, cache_creation: written, output_tokens: answerTokens },
      });
      const response = await scene.post('/v1/messages', body);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"type":"message"')]);
      expect(scene.upstream.requests[0]?.body).toMatchObject({ max_tokens: answerTokens });
      const [row] = await scene.logs(1);
      expect(row).toMatchObject({
        quota: cost,
        prompt_tokens: prompt,
        other: { cache_creation_tokens: prompt, cache_creation_ratio: 1.25 },
      });
      expect(row?.other).not.toHaveProperty('uncharged_quota');
      const ofHour = { cache_creation_tokens_1h: prompt, cache_creation_ratio_1h: 2 };
      if (ttl === '1h') expect(row?.other).toMatchObject(ofHour);
      else for (const name of Object.keys(ofHour)) expect(row?.other).not.toHaveProperty(name);
      expect(await scene.balance()).toBe(5);
      await scene.checkBooks();
    },
  );
});

describe.each(oneEngine)('cache writes of a prompt that its caller cannot mark, on $kind', (engine) => {
  const requested = {
    model,
    max_tokens: 300,
    messages: [
      { role: 'system', content: text.repeat(10) },
      { role: 'user', content: 'When is it in Calais?' },
    ],
    tools: [{ type: 'function', function: { name: 'tide', parameters: { type: 'object', properties: {} } } }],
  };

  test.each([
    { isOn: true, ratio: 1.25 },
    { isOn: false, ratio: 1 },
  ])('it is reserved at what writing costs where it is marked here, and settled exactly (on: $isOn)', async ({ isOn, ratio }) => {
    const counting = { owner: 0, isEstimated: false };
    const prompt = await countPrompt(chatContent(requested, model), model, counting);
    const cost = Math.ceil(10 * ratio * prompt) + 10 * answerTokens;
    const options = { ...settings, PromptCachingEnabled: String(isOn) };
    await using scene = await createScene(engine, { settings: options, channels: [{ type: 14, models: model }], quota: cost + 5 });
    const written = isOn ? prompt : 0;
    scene.upstream.behave({
      usage: {
        input_tokens: prompt - written,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
        output_tokens: answerTokens,
      },
    });
    const response = await scene.post('/v1/chat/completions', requested);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('chat.completion')]);
    const [sent] = scene.upstream.requests;
    expect(sent?.text.includes('"cache_control"')).toBe(isOn);
    // The requested output is limited to what the account can pay in addition to the prompt.
    expect(sent?.body).toMatchObject({ max_tokens: answerTokens });
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: cost, prompt_tokens: prompt });
    expect(await scene.balance()).toBe(5);
    await scene.checkBooks();
  });
});

test('of different times in one request the longest is reserved for', () => {
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    { role: 'user', content: [{ type: 'text', text: 'b', cache_control: { type: 'ephemeral' } }] },
  ];
  expect(promptContent({ messages }).cacheWrite).toBe('cacheWrite1h');
  expect(promptContent({ messages: messages.slice(1) }).cacheWrite).toBe('cacheWrite5m');
  expect(promptContent({ messages: [{ role: 'user', content: 'a' }] }).cacheWrite).toBeNull();
});
