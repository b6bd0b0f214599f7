// Many calls at once on a balance that pays for few: exactly those succeed, however the calls are spread over processes.
import { describe, expect, test } from 'vitest';
import { audit } from '#server/money/audit.ts';
import { balanceOf } from '#server/money/account.ts';
import { countMessages } from '#tests/support/count-prompt.ts';
import { engines } from '#tests/support/engines.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

/** Priced by nothing but the settings below. */
const model = 'sea-1';
const calls = 300;
const paidFor = 10;
const body = { model, max_tokens: 7, messages: [{ role: 'user', content: 'Say hello' }] };
const promptTokens = await countMessages(body.messages, model);

/** How calls are priced, and what one then costs, quoted and charged. */
const prices: { price: string; settings: Record<string, string>; cost: number }[] = [
  { price: 'a price per call', settings: { ModelPrice: JSON.stringify({ [model]: 0.002 }) }, cost: 1_000 },
  {
    price: 'a price per token, quoted to the unit',
    settings: { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 3 }) },
    cost: 10 * (promptTokens + 3 * 7),
  },
];
const accounts = ['token', 'user'] as const;
const appCounts = [1, 2] as const;
const cases = accounts.flatMap((account) => appCounts.flatMap((apps) => prices.map((price) => ({ account, apps, ...price }))));

interface Tally {
  succeeded: number;
  refused: number;
  others: string[];
}

/** Sends `count` calls at once, in turns to each of the servers. */
async function callAtOnce(
  scene: RelayScene,
  apps: readonly TestApp[],
  count: number,
  fields: Record<string, unknown> = {},
): Promise<Tally> {
  const tally: Tally = { succeeded: 0, refused: 0, others: [] };
  const one = async (index: number) => {
    const origin = apps[index % apps.length]?.origin ?? scene.app.origin;
    const response = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${scene.key}` },
      body: JSON.stringify({ ...body, ...fields }),
    });
    const text = await response.text();
    if (response.status === 200 && !text.includes('"error"')) tally.succeeded += 1;
    else if (/insufficient_user_quota|pre_consume_token_quota_failed|key_exhausted/.test(text)) tally.refused += 1;
    else tally.others.push(`${response.status} ${text}`);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  return tally;
}

async function withApps(
  count: number,
  options: SceneOptions & { engine: (typeof engines)[number] },
  use: (scene: RelayScene, apps: TestApp[]) => Promise<void>,
) {
  const { engine, ...rest } = options;
  await using scene = await createScene(engine, { channels: [{ models: model }], ...rest });
  scene.upstream.behave({ usage: { prompt_tokens: promptTokens, completion_tokens: 7, total_tokens: promptTokens + 7 } });
  const apps = [scene.app];
  while (apps.length < count)
    apps.push(await createTestApp(engine, { database: scene.app.database, clock: scene.app.clock, leaseWaitMs: rest.leaseWaitMs }));
  try {
    await use(scene, apps);
  } finally {
    for (const app of apps.slice(1)) await app.close();
  }
}

async function balances(scene: RelayScene): Promise<{ user: number; token: number }> {
  const { db } = scene.app.context;
  const [user, token] = [await db.collection('users').get(scene.user.id), await db.collection('tokens').get(scene.token.id)];
  if (user === null || token === null) throw new Error('The accounts are gone');
  return { user: balanceOf(user), token: balanceOf(token) };
}

describe.each(engines)('300 parallel calls on $kind', (engine) => {
  test.each(cases)(
    "a $account's balance that pays for 10 pays for exactly 10: $price, $apps processes",
    async ({ account, apps: appCount, settings, cost }) => {
      const rich = 1_000_000_000;
      const money = account === 'token' ? { tokenQuota: paidFor * cost, quota: rich } : { quota: paidFor * cost };
      await withApps(appCount, { engine, settings, ...money }, async (scene, apps) => {
        const tally = await callAtOnce(scene, apps, calls);
        expect(tally).toEqual({ succeeded: paidFor, refused: calls - paidFor, others: [] });
        expect(scene.upstream.requests).toHaveLength(paidFor);
        const rest = await balances(scene);
        expect(rest[account]).toBe(0);
        if (account === 'token') expect(rest.user).toBe(rich - paidFor * cost);
        expect((await audit(scene.app.context.db)).findings).toEqual([]);
      });
    },
  );

  test.each(appCounts)(
    'what is reserved beyond the charge comes back in time for those who wait for it: %i processes',
    async (appCount) => {
      const settings = { ModelRatio: JSON.stringify({ [model]: 10 }), CompletionRatio: JSON.stringify({ [model]: 3 }) };
      const charge = 10 * (promptTokens + 3 * 7);
      const quote = 10 * (promptTokens + 3 * 100);
      const count = 12;
      // Enough for all, as long as the last one finds its whole quote.
      const quota = (count - 1) * charge + quote;
      await withApps(appCount, { engine, settings, quota, leaseWaitMs: 60_000 }, async (scene, apps) => {
        expect(await callAtOnce(scene, apps, count, { max_tokens: 100 })).toEqual({ succeeded: count, refused: 0, others: [] });
        expect((await balances(scene)).user).toBe(quote - charge);
        expect((await audit(scene.app.context.db)).findings).toEqual([]);
      });
    },
  );
});
