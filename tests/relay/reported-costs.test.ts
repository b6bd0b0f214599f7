// Costs that providers report: stored next to ours, and shown to the operator if they deviate from the model's price.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, setOption, until } from '#tests/support/relay-scene.ts';

const model = 'tide-1';
/** $0.02 and $0.04 for a thousand tokens. */
const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 2 }), RetryTimes: '0' };
const tokens = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
/** 100 × $0.00002 + 50 × $0.00004. */
const ours = 0.004;

const tellers = [
  { who: 'OpenRouter', type: 20, usage: { ...tokens, cost: 0.003, cost_details: { upstream_inference_cost: null } }, reported: 0.003 },
  { who: 'xAI', type: 48, usage: { ...tokens, cost_in_usd_ticks: 25_000_000 }, reported: 0.0025 },
  { who: 'Perplexity', type: 27, usage: { ...tokens, cost: { total_cost: 0.009, request_cost: 0.005 } }, reported: 0.009 },
];
const callers = [
  { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  { path: '/v1/messages', body: { max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] } },
];

describe.each(engines)('costs that are told on $kind', (engine) => {
  const open = (type: number, more: Record<string, string> = {}) =>
    createScene(engine, {
      settings: { ...settings, ...more },
      channels: [{ type, models: model, name: 'The one', setting: '{"formats":["openai-chat"]}' }],
    });
  const ask = async (scene: RelayScene, fields: object = {}) => {
    const response = await scene.chat({ model, ...fields });
    expect(response.status, await response.text()).toBe(200);
  };

  test.each(tellers)('$who: stand in the row of the call, for administrators alone', async ({ type, usage, reported }) => {
    await using scene = await open(type, { GroupRatio: JSON.stringify({ default: 3 }) });
    scene.upstream.behave({ usage, headers: { 'x-request-id': 'req_of-the-provider', 'x-generation-id': 'gen-1768212000-a' } });
    for (const { path, body } of callers) {
      for (const stream of [false, true]) {
        const response = await scene.post(path, { model, stream, ...body });
        expect(response.status, await response.text()).toBe(200);
      }
    }
    const rows = await scene.logs(4);
    for (const { other, quota } of rows) {
      expect(other).toMatchObject({ admin_info: { upstream_id: 'gen-1768212000-a', cost: { reported, ours: expect.closeTo(ours, 9) } } });
      expect(quota).toBe(Math.ceil(ours * 500_000 * 3));
    }
    await scene.app.setup();
    const read = async (client: Awaited<ReturnType<typeof scene.app.as>>, path: string) => (await client.get(path)).data.items[0].other;
    const admin = await scene.app.as(await scene.app.createUser({ role: 10 }));
    expect(JSON.parse(await read(admin, '/api/log/?type=2'))).toMatchObject({ admin_info: { cost: { reported } } });
    expect(await read(await scene.app.as(scene.user), '/api/log/self?type=2')).not.toMatch(/reported|gen-1768/);
    await scene.checkBooks();
  });

  test('of pictures stand in the row, where no tokens are told', async () => {
    await using scene = await open(48, { ModelPrice: JSON.stringify({ [model]: 0.07 }) });
    scene.upstream.behave({ usage: { cost_in_usd_ticks: 600_000_000 } });
    const response = await scene.post('/v1/images/generations', { model, prompt: 'a tide' });
    expect(response.status, await response.text()).toBe(200);
    const [row] = await scene.logs(1);
    expect(row).toMatchObject({ quota: 35_000, other: { admin_info: { cost: { reported: 0.06, ours: 0.07 } } } });
  });

  test('of vectors do, too', async () => {
    await using scene = await open(20);
    scene.upstream.behave({ usage: { prompt_tokens: 100, total_tokens: 100, cost: 0.003 } });
    const response = await scene.post('/v1/embeddings', { model, input: 'a tide' });
    expect(response.status, await response.text()).toBe(200);
    expect((await scene.logs(1))[0]?.other).toMatchObject({ admin_info: { cost: { reported: 0.003, ours: 0.002 } } });
  });

  test('far from the price are told once, by a notice and at home, until the price is changed', async () => {
    await using scene = await open(20);
    const root = await scene.app.setup();
    scene.upstream.behave({ usage: tellers[0]?.usage });
    for (let call = 0; call < 7; call += 1) await ask(scene);
    const { db } = scene.app.context;
    const notices = () => db.collection('notifications').find({});
    await until(async () => ((await notices()).length > 0 ? true : null));
    expect((await notices()).map(({ event }) => event)).toEqual([
      { code: 'cost_drift', channel_id: scene.channelIds[0], name: 'The one', model, calls: 5, ours: 0.02, reported: 0.015 },
    ]);
    const drifts = async () => (await root.get('/api/data/desk')).data.drifts;
    expect(await drifts()).toMatchObject([{ name: 'The one', model, calls: 5, ours: 0.02, reported: 0.015 }]);
    scene.app.clock.advance(1000);
    await root.put('/api/option/', { key: 'ModelRatio', value: JSON.stringify({ [model]: 7.5 }) });
    expect(await drifts()).toEqual([]);
  });

  test.each([
    ['near the price', { CostDriftPercent: '50' }],
    ['nobody wants to hear of', { CostDriftPercent: '0' }],
  ])('that are %s are not told', async (_what, more) => {
    await using scene = await open(20, more);
    await scene.app.setup();
    scene.upstream.behave({ usage: tellers[0]?.usage });
    for (let call = 0; call < 6; call += 1) await ask(scene);
    await setOption(scene.app, 'CostDriftPercent', '20');
    // The next one is reported: the ones before would have been, too.
    await ask(scene);
    const { db } = scene.app.context;
    await until(async () => ((await db.collection('notifications').find({})).length > 0 ? true : null));
    expect(await db.collection('notifications').find({})).toMatchObject([{ event: { calls: 7 } }]);
  });
});
