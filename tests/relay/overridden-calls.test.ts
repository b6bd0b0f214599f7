// Calls changed by a channel's overrides and model mapping are reserved like a caller's request: an account pays for all that its provider is
// requested to write, and is never overdrawn.
import { describe, expect, test, vi } from 'vitest';
import { countMessages } from '#tests/support/count-prompt.ts';
import { engines } from '#tests/support/engines.ts';
import type { ChannelFields } from '#tests/support/build-channel.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

/** Its output limit is unknown; one token of either kind costs 10. */
const model = 'sea-1';
const settings = { ModelRatio: `{"${model}":10,"gpt-4":10}`, CompletionRatio: `{"${model}":1,"gpt-4":1}`, DefaultMaxOutputTokens: '1000' };
const messages = [{ role: 'user', content: 'Say hello' }];
const promptTokens = await countMessages(messages, model);

const sceneOf = (engine: (typeof engines)[number], channels: readonly ChannelFields[], quota?: number) =>
  createScene(engine, {
    settings,
    channels: channels.map((channel) => ({ models: `${model},gpt-4`, ...channel })),
    ...(quota === undefined ? {} : { quota }),
  });

function reported(scene: RelayScene, tokens: number): void {
  scene.upstream.behave({ usage: { prompt_tokens: promptTokens, completion_tokens: tokens, total_tokens: promptTokens + tokens } });
}

/** Tokens that the first call reserved for, those of its short prompt among them. */
async function reservedTokens(scene: RelayScene, ask: () => Promise<Response>): Promise<number> {
  const reserve = vi.spyOn(scene.app.context.ledger, 'reserve');
  const response = await ask();
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  const amount = reserve.mock.calls[0]?.[0].amount ?? 0;
  return Math.floor(amount / 10);
}

describe.each(engines)('what a channel makes of a call on $kind', (engine) => {
  test('responses that an override asks for are all paid for before, at the limit that their caller names', async () => {
    const channels = [{ param_override: '{"n":5}' }];
    await using scene = await sceneOf(engine, channels, 10 * (promptTokens + 500));
    reported(scene, 500);
    expect((await scene.chat({ model, max_tokens: 100 })).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ n: 5, max_tokens: 100 });
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
    await using poor = await sceneOf(engine, channels, 10 * (promptTokens + 499));
    expect((await poor.chat({ model, max_tokens: 100 })).status).toBe(403);
    expect(poor.upstream.requests).toEqual([]);
  });

  test('who pays for less than all of them can write is given shorter ones, and owes nothing', async () => {
    await using scene = await sceneOf(engine, [{ param_override: '{"n":2}' }], 10 * (promptTokens + 1_400));
    reported(scene, 1_400);
    expect((await scene.chat({ model })).status).toBe(200);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ n: 2, max_tokens: 700 });
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
  });

  test('the channel that is asked second counts as well', async () => {
    await using scene = await sceneOf(engine, [
      { priority: 1, key: 'first' },
      { param_override: '{"n":3}', key: 'second' },
    ]);
    expect(await reservedTokens(scene, () => scene.chat({ model, max_tokens: 100 }))).toBeGreaterThanOrEqual(300);
  });
});

describe.each(engines)('searches that a channel asks for on $kind', (engine) => {
  const tools = { ToolPrice: '{"web_search":10}' };

  test.each<[string, ChannelFields]>([
    ['by an override', { param_override: '{"web_search_options":{}}' }],
    ['by a model that its override names', { param_override: '{"model":"gpt-4o-mini-search-preview"}' }],
    ['by its name for the model', { model_mapping: `{"${model}":"gpt-4o-mini-search-preview"}` }],
  ])('%s are paid for before', async (_name, channel) => {
    const search = 5_000;
    const options = { channels: [{ models: model, ...channel }], settings: { ...settings, ...tools } };
    const least = 10 * (promptTokens + 16) + search;
    await using poor = await createScene(engine, { ...options, quota: least - 1 });
    expect((await poor.chat({ model, max_tokens: 16 })).status).toBe(403);
    expect(poor.upstream.requests).toEqual([]);
    await using scene = await createScene(engine, { ...options, quota: least });
    reported(scene, 16);
    expect((await scene.chat({ model, max_tokens: 16 })).status).toBe(200);
    expect(await scene.balance()).toBe(0);
    await scene.checkBooks();
  });

  test('are paid for as often as the override lets them run, however seldom their caller does', async () => {
    const search = (most: number) => ({ type: 'web_search_20250305', name: 'web_search', max_uses: most });
    const override = JSON.stringify({ tools: [search(5)] });
    const channels = [{ type: 14, models: model, param_override: override }];
    await using scene = await createScene(engine, { channels, settings: { ...settings, ...tools } });
    const body = { model, max_tokens: 16, messages, tools: [search(1)] };
    expect(await reservedTokens(scene, () => scene.post('/v1/messages', body))).toBeGreaterThanOrEqual(5 * 500);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ tools: [search(5)] });
  });

  test('are paid for as the override asks for them, where the call is translated', async () => {
    const override = JSON.stringify({ tools: [{ type: 'web_search_preview' }] });
    const setting = '{"formats":["openai-responses"]}';
    const prices = { ToolPrice: '{"web_search":10,"web_search_preview":25}', ToolCallsPerRequest: '4' };
    const channels = [{ type: 1, setting, models: model, param_override: override }];
    await using scene = await createScene(engine, { channels, settings: { ...settings, ...prices } });
    scene.upstream.behave({ replay: 'hosted/responses.json' });
    expect(await reservedTokens(scene, () => scene.chat({ model, max_tokens: 16 }))).toBeGreaterThanOrEqual(4 * 1250);
    expect(scene.upstream.requests[0]?.body).toMatchObject({ tools: [{ type: 'web_search_preview' }] });
  });
});
