// Calls changed by a channel's overrides and model mapping: their reservation, and the limits that the provider receives.
import { describe, expect, test, vi } from 'vitest';
import { countMessages } from '#tests/support/count-prompt.ts';
import { oneEngine } from '#tests/support/engines.ts';
import type { ChannelFields } from '#tests/support/build-channel.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

/** Its output limit is unknown; one token of either kind costs 10. */
const model = 'sea-1';
const settings = { ModelRatio: `{"${model}":10,"gpt-4":10}`, CompletionRatio: `{"${model}":1,"gpt-4":1}`, DefaultMaxOutputTokens: '1000' };
const messages = [{ role: 'user', content: 'Say hello' }];
const promptTokens = await countMessages(messages, model);

const sceneOf = (engine: (typeof oneEngine)[number], channels: readonly ChannelFields[], quota?: number) =>
  createScene(engine, {
    settings,
    channels: channels.map((channel) => ({ models: `${model},gpt-4`, ...channel })),
    ...(quota === undefined ? {} : { quota }),
  });

/** Tokens that the first call reserved for, those of its short prompt among them. */
async function reservedTokens(scene: RelayScene, ask: () => Promise<Response>): Promise<number> {
  const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
  const response = await ask();
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const amount = reserve.mock.calls[0]?.[0].amount ?? 0;
  return Math.floor(amount / 10);
}

describe.each(oneEngine)('what is reserved for it on $kind', (engine) => {
  const gemini = (body: Record<string, unknown>) => (scene: RelayScene) =>
    scene.post(`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }], ...body });
  const chat = (body: Record<string, unknown>) => (scene: RelayScene) => scene.chat({ model, ...body });
  const completions = (body: Record<string, unknown>) => (scene: RelayScene) =>
    scene.post('/v1/completions', { model, prompt: ['a', 'b'], ...body });

  test.each<[string, ChannelFields, (scene: RelayScene) => Promise<Response>, number, Record<string, unknown>]>([
    [
      'a limit beyond what is usual for a model that nobody knows',
      { param_override: '{"max_tokens":4000}' },
      chat({}),
      4_000,
      { max_tokens: 4_000 },
    ],
    [
      'no limit in place of the one that was named',
      { param_override: '{"max_tokens":null}' },
      chat({ max_tokens: 16 }),
      16,
      { max_tokens: 16 },
    ],
    [
      'the same by the newer name',
      { param_override: '{"max_completion_tokens":0}' },
      chat({ max_completion_tokens: 16 }),
      16,
      { max_completion_tokens: 16 },
    ],
    [
      'several responses from Gemini, whose limit goes with what stood there',
      { type: 24, param_override: '{"generationConfig":{"candidateCount":3}}' },
      chat({ max_tokens: 20 }),
      60,
      { generationConfig: { candidateCount: 3, maxOutputTokens: 20 } },
    ],
    [
      'the same for a caller of Gemini',
      { type: 24, param_override: '{"generationConfig":{"candidateCount":3}}' },
      gemini({ generationConfig: { maxOutputTokens: 20 } }),
      60,
      { generationConfig: { candidateCount: 3, maxOutputTokens: 20 } },
    ],
    ['several of each prompt', { type: 8, param_override: '{"n":2}' }, completions({ max_tokens: 10 }), 40, { n: 2 }],
    ['a model that writes more, by an override', { param_override: '{"model":"gpt-4o"}' }, chat({}), 16_384, { model: 'gpt-4o' }],
    [
      'a model that writes more, by a mapping',
      { model_mapping: '{"gpt-4":"gpt-4o"}' },
      chat({ model: 'gpt-4' }),
      16_384,
      { model: 'gpt-4o' },
    ],
    [
      'the same, up to the limit that is named',
      { model_mapping: '{"gpt-4":"gpt-4o"}' },
      chat({ model: 'gpt-4', max_tokens: 12_000 }),
      12_000,
      { max_tokens: 12_000 },
    ],
  ])('%s', async (_name, channel, ask, tokens, sent) => {
    await using scene = await sceneOf(engine, [channel]);
    const reserved = await reservedTokens(scene, () => ask(scene));
    expect(reserved).toBeGreaterThanOrEqual(tokens);
    expect(reserved).toBeLessThan(tokens + 20);
    expect(scene.upstream.requests[0]?.body).toMatchObject(sent);
  });

  test('several responses of the second of two ways that a channel may be asked', async () => {
    const name = 'gpt-5.4';
    const formats = '{"formats":["openai-chat","openai-responses"]}';
    const channel = { models: name, param_override: '{"n":3}', setting: formats };
    const prices = { ModelRatio: `{"${name}":10}`, CompletionRatio: `{"${name}":1}` };
    await using scene = await createScene(engine, { settings: { ...settings, ...prices }, channels: [channel] });
    // Responses take no sound.
    const parts = [{ text: 'Say hello' }, { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }];
    const ask = { contents: [{ role: 'user', parts }], generationConfig: { maxOutputTokens: 20_000 } };
    const reserved = await reservedTokens(scene, () => scene.post(`/v1beta/models/${name}:generateContent`, ask));
    expect(scene.upstream.requests[0]?.body).toMatchObject({ n: 3, messages: [{ role: 'user' }] });
    expect(reserved).toBeGreaterThanOrEqual(60_000);
  });

  test('a limit that one channel does not keep to is ignored, whatever another one asks for', async () => {
    await using scene = await sceneOf(engine, [{ param_override: '{"n":8}' }, { priority: 1 }]);
    const written = { prompt_tokens: promptTokens, completion_tokens: 50, total_tokens: promptTokens + 50 };
    scene.upstream.behave({ usage: written });
    const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
    for (let turn = 0; turn < 2; turn += 1) expect((await scene.chat({ model, max_tokens: 10 })).status).toBe(200);
    const [first = 0, second = 0] = reserve.mock.calls.map(([{ amount }]) => Math.floor(amount / 10));
    expect(first).toBeLessThan(8 * 10 + 20);
    expect(second).toBeGreaterThan(1_000);
  });

  test('one channel writes more than the other, which is told no more than its model takes', async () => {
    const channels = [
      { priority: 1, models: 'gpt-4' },
      { models: 'gpt-4', model_mapping: '{"gpt-4":"gpt-4o"}' },
    ];
    await using scene = await sceneOf(engine, channels, 10 * (promptTokens + 12_000));
    expect((await scene.chat({ model: 'gpt-4' })).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ model: 'gpt-4', max_tokens: 4_096 });
  });
});
