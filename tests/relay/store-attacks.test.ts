// Vector stores under attack: what a site that has slept, a process that comes late, and callers who try everything can do to their money and rights.
import { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { failureOf } from '#tests/support/failure-of.ts';
import { setOption, testModel } from '#tests/support/relay-scene.ts';
import { daySeconds as day, openStoreScene, storingQuota } from '#tests/support/store-scene.ts';
import { until } from '#tests/support/until.ts';

const size = 100_000;
/** A day of a file of which the provider reports twice its bytes. */
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
      // The next one cannot be paid: it is closed, and nothing is charged.
      expect((await opened.onlyRecord()).unpaid_since).toBeGreaterThan(0);
      expect((await days()).map((cost) => Math.round(cost / each))).toEqual([1, 2, 3]);
      await scene.checkBooks();
    });
  });
  describe('a process that comes late', () => {
    test('leaves nothing at the provider, whose answer comes when the store has been given up', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, provider, leave, later } = opened;
      const before = await scene.balance();
      const file = await leave(size);
      const gate = Promise.withResolvers<void>();
      provider.gates.push(gate.promise);
      const creating = failureOf(client.vectorStores.create({ file_ids: [file] }));
      await until(() => provider.requested.length === 1);
      // Another one looks for it, and there is none.
      await later(20 * 60);
      expect(await scene.app.context.db.collection('vector_stores').count({})).toBe(0);
      gate.resolve();
      expect(await creating).toMatchObject({ status: 504 });
      await later(120);
      expect(provider.stores.size).toBe(0);
      // Nor where it cannot be deleted at once.
      const second = Promise.withResolvers<void>();
      provider.gates.push(second.promise);
      const again = failureOf(client.vectorStores.create({ file_ids: [file] }));
      const requested = provider.requested.length;
      await until(() => provider.requested.length === requested + 1);
      await later(20 * 60);
      provider.failures.push(500);
      second.resolve();
      expect(await again).toMatchObject({ status: 504 });
      expect(provider.stores.size).toBe(1);
      await later(120);
      expect(provider.stores.size).toBe(0);
      expect(await scene.app.context.db.collection('vector_stores').count({})).toBe(0);
      expect(await scene.balance()).toBe(before);
      await scene.checkBooks();
    });
  });

  describe('callers', () => {
    test('with a limited key of their own put nothing into a store that another key pays', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, provider, leave } = opened;
      const { id } = await client.vectorStores.create({});
      const limited = opened.clientOf((await scene.addToken({ quota: 100 })).key);
      const file = await leave(size, limited);
      const before = await scene.balance();
      for (const ask of [
        () => limited.vectorStores.files.create(id, { file_id: file }),
        () => limited.vectorStores.fileBatches.create(id, { file_ids: [file] }),
      ])
        expect(await failureOf(ask())).toMatchObject({ status: 403, code: 'vector_store_of_other_key' });
      expect([...provider.stores.values()].map(({ files }) => files.size)).toEqual([0]);
      expect(await scene.balance()).toBe(before);
      // It reads it, and searches in it; another one without a limit fills it.
      expect(await limited.vectorStores.retrieve(id)).toMatchObject({ id });
      const free = opened.clientOf((await scene.addToken()).key);
      expect(await free.vectorStores.files.create(id, { file_id: file })).toMatchObject({ id: file });
      await scene.checkBooks();
    });

    test('who write what nobody could mean are answered shortly, and the database is not asked', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, provider } = opened;
      const { id } = await client.vectorStores.create({});
      const { length } = provider.requested;
      const long = 'x'.repeat(1_000_000);
      const many = Array.from({ length: 2000 }, (_, index) => `file-${index}${'x'.repeat(10_000)}`);
      for (const [path, body] of [
        ['', { file_ids: [long] }],
        [`/${id}/files`, { file_id: long }],
        [`/${id}/file_batches`, { file_ids: many }],
      ] as const) {
        const answer = await scene.post(`/v1/vector_stores${path}`, body);
        const text = await answer.text();
        expect([answer.status, text.length < 1000], text.slice(0, 300)).toEqual([404, true]);
      }
      const one = (key: string, value: unknown, type = 'eq') => ({ type, key, value });
      for (const filters of [
        one('x'.repeat(65), 1),
        one('a', 'x'.repeat(513)),
        one(
          'a',
          Array.from({ length: 1001 }, () => 1),
          'in',
        ),
        { type: 'or', filters: Array.from({ length: 100 }, () => one('a', 1)) },
        {
          type: 'or',
          filters: Array.from({ length: 20 }, () =>
            one(
              'a',
              Array.from({ length: 99 }, () => 'x'),
              'in',
            ),
          ),
        },
      ])
        expect((await scene.post(`/v1/vector_stores/${id}/search`, { query: 'tide', filters })).status).toBe(400);
      const ranking = { query: 'tide', ranking_options: { ranker: long } };
      expect((await scene.post(`/v1/vector_stores/${id}/search`, ranking)).status).toBe(400);
      expect(provider.requested).toHaveLength(length);
    });

    test('read so many files at a time as they may hold in memory, however small those were before they were unpacked', async () => {
      await using opened = await openStoreScene(engine, { env: { MAX_BODIES_PER_USER_MB: '256' } });
      const { scene, client, provider } = opened;
      const { id: file } = await client.files.create({ file: await toFile(Buffer.from('PK'), 'tide.docx'), purpose: 'assistants' });
      const { id } = await client.vectorStores.create({ file_ids: [file] });
      const [theirs] = provider.files.files.values();
      if (theirs === undefined) throw new Error('There is no file');
      const text = `"file_id":"${theirs.id}" ${'tide '.repeat(200_000)}`;
      theirs.bytes = Buffer.from(text);
      const gate = Promise.withResolvers<void>();
      provider.gates.push(gate.promise, gate.promise, gate.promise, gate.promise);
      const refused: unknown[] = [];
      const reading = Array.from({ length: 6 }, async () => {
        const page = await client.vectorStores.files
          .content(file, { vector_store_id: id })
          .catch((failure: unknown) => void refused.push(failure));
        return page?.data;
      });
      await until(() => refused.length >= 2);
      gate.resolve();
      const read = (await Promise.all(reading)).filter((data) => data !== undefined);
      expect(read).toEqual(Array.from({ length: 4 }, () => [{ type: 'text', text }]));
      expect(refused).toEqual(refused.map(() => expect.objectContaining({ status: 429, code: 'bodies_of_caller' })));
      const raw = await fetch(`${scene.app.origin}/v1/vector_stores/${id}/files/${file}/content`, {
        headers: { authorization: `Bearer ${scene.key}` },
      });
      expect(await raw.json()).toMatchObject({ file_id: file, data: [{ text }] });
    });

    test('reach nothing by tricks in a path or in its query', async () => {
      await using opened = await openStoreScene(engine);
      const { scene, client, provider, leave } = opened;
      const file = await leave(size);
      const { id } = await client.vectorStores.create({ file_ids: [file] });
      const [theirs] = provider.stores.keys();
      const { length } = provider.requested;
      const get = (path: string) =>
        fetch(`${scene.app.origin}/v1/vector_stores/${path}`, { headers: { authorization: `Bearer ${scene.key}` } });
      for (const path of [
        `${theirs}`,
        `%2e%2e%2f${theirs}`,
        `${id}%2ffiles`,
        `${id}%00`,
        `${id}/files/..%2f..%2f${theirs}`,
        `${id}/files/%252e%252e`,
        `${id}/files/${file}%2fcontent`,
        `${id}/file_batches/vsfb_..%2f..%2f${theirs}`,
        `${id}/file_batches/vsfb_${'A'.repeat(2000)}`,
        `${id}/files?after=..%2f${theirs}`,
      ]) {
        const answer = await get(path);
        expect([answer.status, await answer.json()], path).toEqual([
          404,
          { error: expect.objectContaining({ message: expect.any(String) }) },
        ]);
      }
      expect(provider.requested).toHaveLength(length);
      const listed = await get(`${id}/files?limit=1&order=asc&after=&project=theirs&limit=100`);
      expect(listed.status).toBe(404);
      expect((await get(`${id}/files?limit=1&order=asc&project=theirs&limit=100`)).status).toBe(200);
      expect(provider.requested.at(-1)?.what).toBe(`GET /v1/vector_stores/${theirs}/files?limit=1&order=asc`);
    });
  });

  test('names that a stream tells are ours wherever its bytes are cut', async () => {
    const channels = [{ setting: '{"formats":["openai-responses"]}' }];
    await using opened = await openStoreScene(engine, { channels, settings: { SelfUseModeEnabled: 'true' } });
    const { client, provider, leave } = opened;
    const file = await leave(100);
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    const [store = ''] = provider.stores.keys();
    const [theirs = ''] = provider.files.files.keys();
    let count = 0;
    provider.cuts = (stream) => {
      const text = stream.toString('latin1');
      const places = [theirs, store, file].flatMap((name) => [...text.matchAll(new RegExp(name, 'g'))].map(({ index }) => index));
      count = places.length;
      return places.flatMap((at) => [at - 12, at - 1, at, at + 1, at + 5, at + 9, at + 10]).toSorted((one, other) => one - other);
    };
    const requested = {
      model: testModel,
      input: 'When?',
      tools: [{ type: 'file_search' as const, vector_store_ids: [id] }],
      stream: true as const,
    };
    let reported = '';
    for await (const event of await client.responses.create(requested)) reported += JSON.stringify(event);
    expect(count).toBeGreaterThan(10);
    // What the model itself has written stays.
    const own = reported.split('\\"file_id\\":\\"');
    expect(reported).toContain(file);
    expect(own.map((part) => part.replace(theirs, '')).join('')).not.toContain('theirs');
    for (const name of [theirs, store]) expect(reported.includes(`"${name}"`)).toBe(false);
    // So they are where the answer is made in the background, and read later.
    const { id: response } = await client.responses.create({ ...requested, stream: false, background: true });
    await until(async () => (await client.responses.retrieve(response)).status === 'completed');
    const later = JSON.stringify(await client.responses.retrieve(response));
    expect(later).toContain(`"${file}"`);
    let followed = '';
    for await (const event of await client.responses.retrieve(response, { stream: true })) followed += JSON.stringify(event);
    for (const name of [theirs, store]) expect([later, followed].map((text) => text.includes(`"${name}"`))).toEqual([false, false]);
  });
});
