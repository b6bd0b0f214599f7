// A process stops behind every step of a vector store's money, and does not hear what became of it: nothing is charged twice, nothing is lost, and
// nothing of it stays at the provider.
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { tendStores } from '#server/vector-stores/tend-stores.ts';
import type { Database } from '#server/db/database.ts';
import type { Ledger } from '#server/money/ledger.ts';
import { engines } from '#tests/support/engines.ts';
import { startFakeStores } from '#tests/support/fake-stores.ts';
import type { FakeStores } from '#tests/support/fake-stores.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import type { RelayScene } from '#tests/support/relay-scene.ts';

const day = 86_400;
const stopped = 'The process has stopped';
/** Steps by which stores and money change. */
const steps: Readonly<Record<string, readonly string[]>> = { vector_stores: ['insert', 'patch', 'remove'], logs: ['insert'] };

/** A process that stops behind one step, whose number counts from one. */
class Stopping {
  readonly #at: number;
  #count = 0;

  constructor(at: number) {
    this.#at = at;
  }

  get hasStopped(): boolean {
    return this.#count >= this.#at;
  }

  async step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.hasStopped) throw new Error(stopped);
    this.#count += 1;
    const result = await work();
    if (this.hasStopped) throw new Error(stopped);
    return result;
  }

  database(db: Database): Database {
    return instead(db, {
      collection: (name: string) => {
        const collection: object = db.collection(name as 'vector_stores');
        const verbs = (steps[name] ?? []).map((verb) => [
          verb,
          (...given: unknown[]) => this.step(() => Reflect.get(collection, verb).apply(collection, given)),
        ]);
        return verbs.length === 0 ? collection : instead(collection, Object.fromEntries(verbs));
      },
    });
  }

  ledger(ledger: Ledger): Ledger {
    const change: Ledger['change'] = (request) => this.step(() => ledger.change(request));
    return instead(ledger, { change });
  }
}

/** The same object with other members. */
function instead<Target extends object>(target: Target, members: object): Target {
  return new Proxy(target, {
    get: (_target, name) => {
      const found: unknown = name in members ? Reflect.get(members, name) : Reflect.get(target, name, target);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}

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

  /** Another process goes on. */
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

  /** What was told is what was paid, and nothing is left. */
  async function check(
    scene: RelayScene,
    { provider, before, where }: { provider: FakeStores; before: number; where: string },
  ): Promise<void> {
    const { db } = scene.app.context;
    expect(await db.collection('vector_stores').find({}), where).toEqual([]);
    expect(provider.stores.size, where).toBe(0);
    const rows = await db.collection('logs').find({ type: 4 });
    const told = rows.reduce((sum, { refunded = 0 }) => sum - refunded, 0);
    expect(before - (await scene.balance()), where).toBe(told);
    const user = await db.collection('users').get(scene.user.id);
    const token = await db.collection('tokens').get(scene.token.id);
    expect([user?.used_quota, token?.used_quota], where).toEqual([told, told]);
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
    const { context } = scene.app;
    const { db, ledger } = context;
    const before = await scene.balance();
    const upload = async () =>
      (await sdk(scene).files.create({ file: await toFile(Buffer.alloc(9000, 'tide '), 'tide.txt'), purpose: 'assistants' })).id;
    let file = await upload();
    let lives = 0;
    for (let at = 1; ; at += 1) {
      const stopping = new Stopping(at);
      Object.assign(context, { db: stopping.database(db), ledger: stopping.ledger(ledger) });
      await live(scene, file).catch(() => {});
      Object.assign(context, { db, ledger });
      await goOn(scene);
      await check(scene, { provider, before, where: `step ${at}` });
      lives += 1;
      if (!stopping.hasStopped) break;
      // It is not kept for as long as all of that takes.
      if (at % 8 === 0) file = await upload();
    }
    // As many as there are steps: what is not counted here would not be looked at.
    expect(lives).toBeGreaterThan(20);
    await scene.checkBooks();
  });
});
