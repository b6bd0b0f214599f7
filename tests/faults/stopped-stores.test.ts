// A process stops after every step of a vector store's billing, and does not learn the outcome: nothing is charged twice, nothing is lost, and no
// store is left at the provider.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { tendStores } from '#server/slices/vector-stores/tend-stores.ts';
import { stopAtEachStep } from '#tests/faults/at-each-step.ts';
import { engines } from '#tests/support/engines.ts';
import { type FakeStores, startFakeStores } from '#tests/support/fake-stores.ts';
import { createScene, type RelayScene } from '#tests/support/relay-scene.ts';

const day = 86_400;
/** Steps by which stores and money change. */
const steps = { vector_stores: ['insert', 'patch', 'remove'], logs: ['insert'] };

describe.each(engines)('a process that stops on $kind', (engine) => {
  const sdk = ({ app, key }: RelayScene) => new OpenAI({ baseURL: `${app.origin}/v1`, apiKey: key, maxRetries: 0 });

  /** A store's life; ends where the process does. */
  async function live(scene: RelayScene, file: string): Promise<void> {
    const client = sdk(scene);
    const { id } = await client.vectorStores.create({ file_ids: [file] });
    await client.vectorStores.files.create(id, { file_id: file });
    await client.vectorStores.retrieve(id);
    scene.app.clock.advance(day * 1000);
    await tendStores(scene.app.context);
    scene.app.clock.advance((day / 2) * 1000);
    await client.vectorStores.delete(id);
  }

  /** Another process resumes the work. */
  async function goOn(scene: RelayScene): Promise<void> {
    for (const minutes of [1, 20, 20]) {
      scene.app.clock.advance(minutes * 60_000);
      await tendStores(scene.app.context);
    }
    const client = sdk(scene);
    for (const { id } of (await client.vectorStores.list()).data) await client.vectorStores.delete(id);
    scene.app.clock.advance(60_000);
    await tendStores(scene.app.context);
  }

  /** Reported costs are the paid ones, and nothing is left. */
  async function check(
    scene: RelayScene,
    { provider, before, where }: { provider: FakeStores; before: number; where: string },
  ): Promise<void> {
    const { db } = scene.app.context;
    expect(await db.collection('vector_stores').find({}), where).toEqual([]);
    expect(provider.stores.size, where).toBe(0);
    const rows = await db.collection('logs').find({ type: 4 });
    const reported = rows.reduce((sum, { refunded = 0 }) => sum - refunded, 0);
    expect(before - (await scene.balance()), where).toBe(reported);
    const user = await db.collection('users').get(scene.user.id);
    const token = await db.collection('tokens').get(scene.token.id);
    expect([user?.used_quota, token?.used_quota], where).toEqual([reported, reported]);
    // Each day of each store once.
    const days = rows.map(({ other }) => other?.['event'] as { store: string; from: number });
    expect(new Set(days.map(({ store, from }) => `${store} ${from}`)).size, where).toBe(days.length);
  }

  test('at any step: every day is charged once, what was not used is back, and the provider has nothing of it', async () => {
    const opened: FakeStores[] = [];
    const front = async (url: string) => {
      opened.push(await startFakeStores(url));
      return opened[0] ?? startFakeStores(url);
    };
    const settings = { FilesPerUser: '50', VectorStoresPerUser: '50', VectorStorePrice: '1000', RetryTimes: '0' };
    await using scene = await createScene(engine, { front, settings, tokenQuota: 400_000_000 });
    const [provider] = opened;
    if (provider === undefined) throw new Error('There is no provider');
    const before = await scene.balance();
    const upload = async () =>
      (await sdk(scene).files.create({ file: await toFile(Buffer.alloc(9000, 'tide '), 'tide.txt'), purpose: 'assistants' })).id;
    let file = await upload();
    let ended = 0;
    const lives = await stopAtEachStep(scene, steps, {
      live: () => live(scene, file),
      async goOn() {
        await goOn(scene);
        ended += 1;
        // The file expires before all of that ends.
        if (ended % 8 === 0) file = await upload();
      },
      check: (where) => check(scene, { provider, before, where }),
    });
    // As many as there are steps: what is not counted here would not be looked at.
    expect(lives).toBeGreaterThan(20);
    await scene.checkBooks();
  });
});
