// Charges in service tiers other than the usual one, by the reported tier, or by the requested one.
import { describe, expect, test } from 'vitest';
import type { LogOther } from '#shared/logs.ts';
import { priceOfLog, usageOfLog } from '#shared/price-display.ts';
import { quotaOf } from '#shared/pricing.ts';
import type { Behaviour } from '#tests/support/upstream-behaviour.ts';
import { oneEngine } from '#tests/support/engines.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const model = 'tide-lane';
const settings = {
  ModelRatio: JSON.stringify({ [model]: 1 }),
  CompletionRatio: JSON.stringify({ [model]: 4 }),
  TierPrice: '{"priority:tide-*":2,"flex:tide-*":0.5}',
};
const usual = 1000 + 10 * 4;
const messages = [{ role: 'user', content: 'Say hello' }];
const claudeUsage = { input_tokens: 1000, output_tokens: 10 };
const geminiUsage = { promptTokenCount: 1000, candidatesTokenCount: 10, totalTokenCount: 1010 };

interface Format {
  name: string;
  path(stream: boolean): string;
  channel: object;
  setting?: object;
  body: object;
  /** Parameter that requests the fast tier. */
  fast: object;
  flex: object;
  streamed(stream: boolean): object;
  /** A response that reports the tier; null: one that reports none. */
  reported(tier: 'priority' | 'flex' | 'standard' | null): Behaviour;
}

const chat: Format = {
  name: 'chat',
  path: () => '/v1/chat/completions',
  streamed: (stream) => ({ stream }),
  channel: { type: 1 },
  body: { model, messages, max_tokens: 20 },
  fast: { service_tier: 'priority' },
  flex: { service_tier: 'flex' },
  reported: (tier) => ({
    usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 },
    serviceTier: tier === 'standard' ? 'default' : (tier ?? 'none'),
  }),
};
const responses: Format = {
  name: 'Responses',
  path: () => '/v1/responses',
  streamed: (stream) => ({ stream }),
  channel: { type: 1 },
  setting: { formats: ['openai-responses'] },
  body: { model, input: 'Say hello', max_output_tokens: 20 },
  fast: { service_tier: 'fast' },
  flex: { service_tier: 'flex' },
  reported: (tier) => ({ usage: claudeUsage, serviceTier: tier === 'standard' ? 'default' : (tier ?? 'none') }),
};
const claude: Format = {
  name: 'Claude',
  path: () => '/v1/messages',
  streamed: (stream) => ({ stream }),
  channel: { type: 14 },
  body: { model, messages, max_tokens: 20 },
  fast: { speed: 'fast' },
  flex: { service_tier: 'flex' },
  reported: (tier) => {
    const speed = tier === 'priority' ? 'fast' : tier;
    return { usage: { ...claudeUsage, service_tier: 'priority', ...(speed === null ? {} : { speed }) } };
  },
};
const gemini: Format = {
  name: 'Gemini',
  path: (stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  streamed: () => ({}),
  channel: { type: 24 },
  body: { contents: [{ role: 'user', parts: [{ text: 'Say hello' }] }], generationConfig: { maxOutputTokens: 20 } },
  fast: { serviceTier: 'priority' },
  flex: { serviceTier: 'flex' },
  reported: (tier) => ({
    usage: {
      ...geminiUsage,
      ...(tier === null ? {} : { trafficType: tier === 'standard' ? 'ON_DEMAND' : `ON_DEMAND_${tier.toUpperCase()}` }),
    },
  }),
};
/** Reported by a header alone. */
const geminiByHeader: Format = {
  ...gemini,
  name: 'Gemini by header',
  reported: (tier) => ({ usage: geminiUsage, ...(tier === null ? {} : { headers: { 'x-gemini-service-tier': tier } }) }),
};
const allowed = { allow_surcharges: true };
const cases = oneEngine.flatMap((engine) =>
  [chat, responses, claude, gemini, geminiByHeader].map((format) => ({ engine, kind: engine.kind, ...format })),
);

async function rowOf(scene: RelayScene, count: number) {
  const row = (await scene.logs(count)).at(-1);
  if (row === undefined) throw new Error('There is no row');
  return { quota: row.quota, row, other: row.other as LogOther };
}

describe.each(cases)('lanes of $name on $kind', ({ engine, path, channel, setting: own = {}, body, fast, flex, streamed, reported }) => {
  const open = (setting: object) =>
    createScene(engine, { channels: [{ models: model, ...channel, setting: JSON.stringify({ ...own, ...setting }) }], settings });

  test('the lane that is told is charged, whatever was asked for, and the receipt says so', async () => {
    await using scene = await open(allowed);
    let calls = 0;
    for (const stream of [false, true]) {
      for (const [tier, factor] of [
        ['priority', 2],
        ['flex', 0.5],
        ['standard', 1],
      ] as const) {
        for (const requested of [{}, fast]) {
          scene.upstream.behave(reported(tier));
          await (await scene.post(path(stream), { ...body, ...streamed(stream), ...requested })).text();
          calls += 1;
          const { quota, row, other } = await rowOf(scene, calls);
          expect({ stream, tier, requested, quota }).toEqual({ stream, tier, requested, quota: usual * factor });
          expect([other.service_tier, other.tier_ratio]).toEqual(factor === 1 ? [undefined, undefined] : [tier, factor]);
          const price = priceOfLog(other);
          if (price === null) throw new Error('There is no receipt');
          expect(quotaOf(usageOfLog(row, other), price, 1)).toBe(quota);
        }
      }
    }
    await scene.checkBooks();
  });

  test('where none is told the dearer of the one that was asked for and the usual one is', async () => {
    await using scene = await open(allowed);
    let calls = 0;
    for (const stream of [false, true]) {
      for (const [requested, factor] of [
        [fast, 2],
        [flex, 1],
        [{}, 1],
      ] as const) {
        scene.upstream.behave(reported(null));
        await (await scene.post(path(stream), { ...body, ...streamed(stream), ...requested })).text();
        calls += 1;
        expect({ stream, requested, quota: (await rowOf(scene, calls)).quota }).toEqual({ stream, requested, quota: usual * factor });
      }
    }
    await scene.checkBooks();
  });

  test('a lane that the channel does not allow is neither asked for nor charged', async () => {
    await using scene = await open({});
    scene.upstream.behave(reported(null));
    await (await scene.post(path(false), { ...body, ...fast })).text();
    expect((await rowOf(scene, 1)).quota).toBe(usual);
    expect(scene.upstream.requests.at(-1)?.body).not.toMatchObject(fast);
    await scene.checkBooks();
  });
});

describe.each(oneEngine)('reservations on $kind', (engine) => {
  const ask = async (setting: object, more: object = {}, fields: object = {}) => {
    // Enough for the prompt and a few tokens in the usual tier, and not for the prompt in a more expensive one.
    const dear = { ...settings, TierPrice: '{"priority:tide-*":1000}' };
    await using scene = await createScene(engine, {
      channels: [{ models: model, setting: JSON.stringify(setting), ...more }],
      settings: dear,
      quota: 200,
    });
    scene.upstream.behave({ usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 } });
    const { status } = await scene.chat({ model, max_tokens: 5, ...fields });
    const sent = scene.upstream.requests.length;
    await scene.checkBooks();
    return { status, sent };
  };

  test('are for the dearest lane that the call may take', async () => {
    const fast = { service_tier: 'priority' };
    const refused = { status: 403, sent: 0 };
    const passed = { status: 200, sent: 1 };
    expect(await ask(allowed)).toEqual(passed);
    expect(await ask({}, {}, fast)).toEqual(passed);
    expect(await ask(allowed, {}, { service_tier: 'flex' })).toEqual(passed);
    expect(await ask(allowed, {}, fast)).toEqual(refused);
    expect(await ask({}, { param_override: JSON.stringify(fast) })).toEqual(refused);
  });
});
