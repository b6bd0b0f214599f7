// A process stalls at any point of a vector store's billing, is taken for dead, and resumes after another one has continued with the store: every day
// is charged once, the unused amount is refunded, and no operation stays open.
import { describe, expect, test } from 'vitest';
import type { RunningContext } from '#server/create-context.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { audit } from '#server/money/audit.ts';
import { balanceOf } from '#server/money/account.ts';
import { closeDay, coverBytes, settledStore } from '#server/slices/vector-stores/pay-store.ts';
import { beginStore, changeStore } from '#server/slices/vector-stores/store-records.ts';
import { arrange, end, onPlace, open, type Place, type Scene } from '#tests/faults/bookkeeping.ts';
import { type Engine, engines } from '#tests/support/engines.ts';
import { makeFreezable } from '#tests/support/freezable-database.ts';

const day = 86_400;
const startQuota = 10_000;
const tokenQuota = 5_000;
/** A quota for 2^20 bytes and a day. */
const megabyte = 2 ** 20;
const options = { VectorStoresPerUser: '5', VectorStorePrice: String(1024 / 500_000) };

async function arrangeStore(place: Place): Promise<Scene & { store: string }> {
  const scene = await arrange(place);
  for (const [id, value] of Object.entries(options)) {
    await place.other.db.collection('options').remove({ id });
    await place.other.db.collection('options').insert({ id, value, revision: 1, updated_at: 0, updated_by: 0 });
  }
  for (const context of [scene.context, scene.other]) await context.settings.reload();
  const said = { name: '', description: '', metadata: '', expires_days: 0, claimed_bytes: 0, file_bytes: 1000 * megabyte };
  const { id } = await beginStore(
    scene.other,
    {
      user_id: scene.user.id,
      username: scene.user.username,
      token_id: scene.limited.id,
      token_name: scene.limited.name,
      group: 'default',
      channel_id: 1,
      key: 'key',
      ...said,
    },
    'default',
  );
  await changeStore(scene.other, id, () => ({ state: 'stored', upstream_id: 'vs_theirs' }));
  return { ...scene, store: id };
}

/** Some of a store's life; the process that stops has begun it. */
async function live(context: RunningContext, id: string): Promise<void> {
  const grown = (bytes: number) => changeStore(context, id, () => ({ usage_bytes: bytes * megabyte, day_bytes: bytes * megabyte }));
  await coverBytes(context, id, 300 * megabyte);
  await grown(100);
  const begun = await settledStore(context, id);
  await closeDay(context, id, (begun?.period_from ?? 0) + day);
  await coverBytes(context, id, 200 * megabyte);
}

/** Runs the store to its end. A state that cannot be reported yet is requested again. */
async function finish(context: RunningContext, id: string): Promise<VectorStoreRecord | null> {
  const store = await settledStore(context, id);
  return store === null || store.reserved === 0 ? store : closeDay(context, id, store.period_from + day / 2);
}

async function check({ other, user, limited, store }: Scene & { store: string }, where: string): Promise<void> {
  expect((await audit(other.db)).findings, where).toEqual([]);
  const record = await other.db.collection('vector_stores').get(store);
  expect(record, where).toMatchObject({ pending_amount: 0, closing_until: 0, reserved: 0 });
  const rows = await other.db.collection('logs').find({ user_id: user.id });
  const reported = rows.reduce((sum, { refunded = 0 }) => sum - refunded, 0);
  const [userNow, tokenNow] = [await other.db.collection('users').get(user.id), await other.db.collection('tokens').get(limited.id)];
  if (userNow === null || tokenNow === null) throw new Error('The accounts are gone');
  expect([balanceOf(userNow), balanceOf(tokenNow)], where).toEqual([startQuota - reported, tokenQuota - reported]);
  expect([userNow.used_quota, tokenNow.used_quota], where).toEqual([reported, reported]);
}

/** On MongoDB, where everything takes ten times as long, every eighth write. */
const stepOf = (engine: Engine) => (engine.kind === 'embedded' ? 1 : 8);

describe.each(engines)('a process that stands still on $kind', (engine) => {
  test.each(['before', 'after'] as const)('%s any write of a store, and goes on when its books are settled', async (when) => {
    await onPlace(engine, async (place) => {
      for (let at = 1; ; at += stepOf(engine)) {
        const where = `stopped ${when} write ${at}`;
        const scene = await arrangeStore(place);
        const { context, other, db, store } = scene;
        db.freezeAt(at, when);
        const working = live(context, store).catch(() => {});
        await Promise.race([working, db.frozen]);
        if (!db.isFrozen) {
          await end(scene, working);
          break;
        }
        await other.db.collection('processes').patch({ id: context.ledger.processId, state: 'alive' }, { set: { heartbeat_at: 0 } });
        await other.ledger.recoverCrashed();
        await live(other, store);
        // It notes what it has paid, and stands still as well.
        db.thaw();
        await working;
        await finish(other, store);
        await check(scene, where);
        await end(scene);
      }
    });
  });

  // The first one is about to pay: its payment is taken back, and repeated by the second, which stops as well.
  test('and so does the one that has gone on with its store', async () => {
    await onPlace(engine, async (place) => {
      for (const at of engine.kind === 'embedded' ? [1, 2, 3, 4, 5, 6, 7, 8] : [4]) {
        const where = `stopped at write ${at} of the second`;
        const scene = await arrangeStore(place);
        const { context, other, db, store } = scene;
        const secondDb = makeFreezable(await place.database.open());
        const second = await open(secondDb);
        await second.settings.reload();
        const takeOver = async (process: string) => {
          await other.db.collection('processes').patch({ id: process, state: 'alive' }, { set: { heartbeat_at: 0 } });
          await other.ledger.recoverCrashed();
        };
        db.freezeAt(3, 'before');
        const working = live(context, store).catch(() => {});
        await Promise.race([working, db.frozen]);
        expect(db.isFrozen, where).toBe(true);
        await takeOver(context.ledger.processId);
        secondDb.freezeAt(at, 'before');
        const going = live(second, store).catch(() => {});
        await Promise.race([going, secondDb.frozen]);
        await takeOver(second.ledger.processId);
        // It is not open for ever.
        await finish(other, store);
        db.thaw();
        secondDb.thaw();
        await Promise.all([working, going]);
        await finish(other, store);
        await check(scene, where);
        await end(scene);
        await second.close();
      }
    });
  });
});
