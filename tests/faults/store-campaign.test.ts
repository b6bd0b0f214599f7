// Two processes on one database handle callers, days, providers and crashes in any order: the log's costs, the statement's sums and the balances
// agree, and nothing is left over.
import type OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { balanceOf } from '#server/money/account.ts';
import { readStatement } from '#server/features/statements/read-statement.ts';
import { tendStores } from '#server/slices/vector-stores/tend-stores.ts';
import { createChance, pickOf } from '#tests/support/chance.ts';
import { engines } from '#tests/support/engines.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { Stopping } from '#tests/support/stopping.ts';
import { openStoreScene, type StoreScene } from '#tests/support/store-scene.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const hour = 3600;
const steps = { vector_stores: ['insert', 'patch', 'remove'], logs: ['insert'] };
const startQuota = 40_000_000;

interface Campaign extends StoreScene {
  apps: readonly TestApp[];
  clients: readonly OpenAI[];
  chance(): number;
}

/** One act of a caller. What is refused is refused. */
async function act(campaign: Campaign, client: OpenAI): Promise<void> {
  const { vectorStores, files } = client;
  const own = (await files.list()).data.map(({ id }) => id);
  const stores = (await vectorStores.list({ limit: 100 })).data.filter(({ status }) => status !== 'expired').map(({ id }) => id);
  const [file, store] = [pickOf(campaign.chance, own), pickOf(campaign.chance, stores)];
  const kind = Math.floor(campaign.chance() * 7);
  if (file === undefined || (kind === 0 && own.length < 8)) {
    await campaign.leave(10_000 + Math.floor(campaign.chance() * 300_000), client);
  } else if (kind === 1 || store === undefined) {
    const expiry = campaign.chance() < 0.3 ? { expires_after: { anchor: 'last_active_at' as const, days: 2 } } : {};
    await vectorStores.create({ file_ids: campaign.chance() < 0.3 ? [] : [file], ...expiry });
  } else if (kind === 2) await vectorStores.files.create(store, { file_id: file });
  else if (kind === 3) await vectorStores.fileBatches.create(store, { file_ids: own.slice(0, 3) });
  else if (kind === 4) await vectorStores.files.delete(file, { vector_store_id: store });
  else if (kind === 5) await vectorStores.delete(store);
  else await vectorStores.retrieve(store);
}

/** Some of them at once, by either process. */
async function turn(campaign: Campaign): Promise<void> {
  const { chance, apps, clients, scene, provider } = campaign;
  if (chance() < 0.15) provider.failures.push(pickOf(campaign.chance, ['lost', 'cut', 500, 429] as const) ?? 500);
  if (chance() < 0.05) await setOption(scene.app, 'VectorStorePrice', String(Math.floor(chance() * 300)));
  const acts = Array.from({ length: 1 + Math.floor(chance() * 3) }, () =>
    act(campaign, pickOf(campaign.chance, clients) ?? campaign.client),
  );
  await Promise.allSettled(acts);
  if (chance() > 0.5) return;
  scene.app.clock.advance((chance() < 0.1 ? 100 : 1 + chance() * 40) * hour * 1000);
  await Promise.allSettled(apps.filter(() => chance() < 0.7).map(({ context }) => tendStores(context)));
}

/** The second process stops somewhere in a turn, and another one takes its place. */
async function turnWithCrash(campaign: Campaign, app: TestApp): Promise<void> {
  const { context } = app;
  const { db, ledger } = context;
  const stopping = new Stopping(1 + Math.floor(campaign.chance() * 20), steps);
  Object.assign(context, { db: stopping.database(db), ledger: stopping.ledger(ledger) });
  await turn(campaign);
  Object.assign(context, { db, ledger });
}

/** All of them go, and what is open comes to its end. */
async function goAll({ scene, provider, client, apps }: Campaign): Promise<void> {
  provider.failures.length = 0;
  // A process that is taken for dead midway resumes a moment later.
  await until(async () => {
    scene.app.clock.advance(20 * 60_000);
    for (const { context } of apps) await tendStores(context).catch(() => {});
    const { data } = await client.vectorStores.list({ limit: 100 });
    await Promise.allSettled(data.map(({ id }) => client.vectorStores.delete(id)));
    return (await scene.app.context.db.collection('vector_stores').count({})) === 0;
  });
}

/** @returns what was spent, in quota */
async function check({ scene, provider }: Campaign, where: string): Promise<number> {
  const { context } = scene.app;
  const { db } = context;
  expect(await db.collection('vector_stores').find({}), where).toEqual([]);
  expect([...provider.stores.keys()], where).toEqual([]);
  const rows = await db.collection('logs').find({ type: 4 });
  const reported = rows.reduce((sum, { refunded = 0 }) => sum - refunded, 0);
  const days = rows.map(({ other }) => other?.['event'] as { store: string; from: number });
  expect(new Set(days.map(({ store, from }) => `${store} ${from}`)).size, where).toBe(days.length);
  const user = await db.collection('users').get(scene.user.id);
  const tokens = await db.collection('tokens').find({ user_id: scene.user.id });
  if (user === null) throw new Error('There is no user');
  expect([balanceOf(user), user.used_quota], where).toEqual([startQuota - reported, reported]);
  const used = new Map(
    tokens.map(({ id }) => [id, rows.filter((row) => row.token_id === id).reduce((sum, { refunded = 0 }) => sum - refunded, 0)]),
  );
  expect(new Map(tokens.map(({ id, used_quota }) => [id, used_quota])), where).toEqual(used);
  const { opening, closing } = await readStatement(context, user, { start_timestamp: user.created_time - 1 });
  expect([opening, closing], where).toEqual([0, startQuota - reported]);
  await scene.checkBooks();
  return reported;
}

describe.each(engines)('a campaign on $kind', (engine) => {
  const seeds = engine.kind === 'embedded' ? [1] : [3];
  const turns = engine.kind === 'embedded' ? 30 : 12;

  test.each(seeds)('of seed %i ends with books that agree', async (seed) => {
    await using opened = await openStoreScene(engine, { quota: startQuota, tokenQuota: startQuota / 2 });
    const { app } = opened.scene;
    await using second = await createTestApp(engine, { database: app.database, clock: app.clock });
    const { key } = await opened.scene.addToken();
    const apps = [app, second];
    const clients = [opened.scene.key, key].flatMap((one) => apps.map(({ origin }) => opened.clientOf(one, origin)));
    const campaign: Campaign = { ...opened, apps, clients, chance: createChance(seed) };
    for (let index = 0; index < turns; index += 1) await (index % 6 === 5 ? turnWithCrash(campaign, second) : turn(campaign));
    await goAll(campaign);
    expect(await check(campaign, `seed ${seed}`)).toBeGreaterThan(0);
  });
});
