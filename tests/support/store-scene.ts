// A server with a provider of vector stores, as tests of what they cost begin.
import OpenAI, { toFile } from 'openai';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import { tendStores } from '#server/slices/vector-stores/tend-stores.ts';
import type { Engine } from '#tests/support/engines.ts';
import { type FakeStores, startFakeStores } from '#tests/support/fake-stores.ts';
import { createScene, type RelayScene, type SceneOptions } from '#tests/support/relay-scene.ts';

export const daySeconds = 86_400;

/** Quota of bytes and seconds, at a hundred dollars for a GB and a day. */
export const storingQuota = (bytes: number, seconds = daySeconds) =>
  Math.ceil((100 * 500_000 * bytes * seconds) / (2 ** 30 * daySeconds) - 1e-6);

export interface StoreScene extends AsyncDisposable {
  scene: RelayScene;
  provider: FakeStores;
  client: OpenAI;
  /** @param origin of another process */
  clientOf(key: string, origin?: string): OpenAI;
  /** A file of so many bytes; its name. */
  leave(bytes?: number, client?: OpenAI): Promise<string>;
  /** Time passes until the next look at each. */
  later(seconds: number): Promise<void>;
  onlyRecord(): Promise<VectorStoreRecord>;
  /** Returns the cost of days by the rows of the log, the oldest first. */
  days(): Promise<number[]>;
}

export async function openStoreScene(engine: Engine, options: SceneOptions = {}): Promise<StoreScene> {
  const opened: FakeStores[] = [];
  const front = async (url: string) => {
    const made = await startFakeStores(url);
    opened.push(made);
    return made;
  };
  const settings = { FilesPerUser: '50', VectorStoresPerUser: '50', VectorStorePrice: '100', RetryTimes: '0', ...options.settings };
  const scene = await createScene(engine, { ...options, front, settings });
  const [provider] = opened;
  if (provider === undefined) throw new Error('There is no provider');
  const clientOf = (apiKey: string, origin = scene.app.origin) => new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0 });
  const client = clientOf(scene.key);
  const { context, clock } = scene.app;
  return {
    scene,
    provider,
    client,
    clientOf,
    async leave(bytes = 100_000, by = client) {
      return (await by.files.create({ file: await toFile(Buffer.alloc(bytes, 'tide '), 'tide.txt'), purpose: 'assistants' })).id;
    },
    async later(seconds) {
      clock.advance(seconds * 1000);
      await tendStores(context);
    },
    async onlyRecord() {
      const [record] = await context.db.collection('vector_stores').find({});
      if (record === undefined) throw new Error('There is no store');
      return record;
    },
    async days() {
      const rows = await context.db.collection('logs').find({ type: 4 }, { sort: [['id', 1]] });
      return rows.map(({ refunded = 0 }) => 0 - refunded);
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}
