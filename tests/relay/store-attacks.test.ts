// Vector stores under attack: what a site that has slept, a process that comes late, and callers who try everything can do to their money and rights.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { setOption } from '#tests/support/relay-scene.ts';
import { daySeconds as day, openStoreScene, storingQuota } from '#tests/support/store-scene.ts';

const size = 100_000;
/** A day of a file that the provider tells twice its bytes of. */
const each = storingQuota(2 * size);

describe.each(engines)('vector stores under attack on $kind', (engine) => {
  describe('a week in which nobody looked', () => {
    test('is paid by who deletes his store before anybody looks', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, leave, later, days } = opened;
      const before = await scene.balance();
      const { id } = await client.vectorStores.create({ file_ids: [await leave(size)] });
      await later(60);
      scene.app.clock.advance(7 * day * 1000);
      await client.vectorStores.delete(id);
      await later(60);
      expect(await days()).toEqual([each, each, each, each, each, each, each, expect.any(Number)]);
      expect(before - (await scene.balance())).toBe((await days()).reduce((sum, cost) => sum + cost, 0));
      await scene.checkBooks();
    });

    test('is paid up to its end where its caller has said one', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, leave, later, days } = opened;
      await client.vectorStores.create({ file_ids: [await leave(size)], expires_after: { anchor: 'last_active_at', days: 3 } });
      await later(60);
      await later(7 * day);
      expect((await days()).map((cost) => Math.round(cost / each))).toEqual([1, 1, 1]);
      await scene.checkBooks();
    });

    test('is paid day by day, the oldest first, as far as there is money; the rest is owed by nobody', async () => {
      await using opened = await openStoreScene(engine, { quota: 4 * each + storingQuota(2 * size) });
      const { scene, client, leave, later, days, onlyRecord } = opened;
      const { id } = await client.vectorStores.create({ file_ids: [await leave(size)] });
      await later(60);
      scene.app.clock.advance(7 * day * 1000);
      await client.vectorStores.delete(id);
      await later(60);
      expect(await days()).toEqual([each, each, each, each, each]);
      expect(await scene.balance()).toBe(0);
      await expect(onlyRecord()).rejects.toThrow('There is no store');
      await scene.checkBooks();
    });

    test('is not paid for a store that its provider has let go meanwhile', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, provider, leave, later, days } = opened;
      await client.vectorStores.create({ file_ids: [await leave(size)] });
      await later(60);
      provider.stores.clear();
      await later(7 * day);
      expect((await days()).reduce((sum, cost) => sum + cost, 0)).toBeLessThan(each);
      await scene.checkBooks();
    });

    test('begins each of its days with the group and the price that there are then', async () => {
      const settings = { GroupRatio: JSON.stringify({ default: 1, vip: 2, team: 3 }) };
      await using opened = await openStoreScene(engine, { settings, quota: 100 * each });
      const { scene, client, leave, later, days } = opened;
      const { db } = scene.app.context;
      await client.vectorStores.create({ file_ids: [await leave(size)] });
      await later(60);
      await db.collection('users').patch({ id: scene.user.id }, { set: { group: 'vip' } });
      await later(day);
      // A key has its own.
      await db.collection('tokens').patch({ id: scene.token.id }, { set: { group: 'team' } });
      await later(day);
      await setOption(scene.app, 'VectorStorePrice', '0');
      await later(day);
      await setOption(scene.app, 'VectorStorePrice', '1000000');
      await later(day);
      // Nobody can pay the next one: it is closed, and nothing is taken.
      expect((await opened.onlyRecord()).unpaid_since).toBeGreaterThan(0);
      expect((await days()).map((cost) => Math.round(cost / each))).toEqual([1, 2, 3]);
      await scene.checkBooks();
    });
  });
});
