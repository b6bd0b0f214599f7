// A running server with an upstream, a channel and a paid key: what most relay tests begin with.
import { createTestApp, type TestApp, type TestAppOptions } from '#tests/support/test-app.ts';
import { buildChannel, type ChannelFields } from '#tests/support/build-channel.ts';
import type { Engine } from '#tests/support/engines.ts';
import type { ProviderFront } from '#tests/support/provider-front.ts';
import { addCountedBudget, checkCountedBudget } from './counted-budget.ts';
import { wrongReceipts } from './settled-receipts.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { audit } from '#server/money/audit.ts';
import { createToken, type TokenFields } from '#tests/support/build-token.ts';

export interface SceneOptions extends TestAppOptions {
  /** Quota of the user; $1,000 by default. */
  quota?: number;
  /** Quota of the key; unlimited by default. */
  tokenQuota?: number;
  /** Options set before the first call, as texts. */
  settings?: Record<string, string>;
  /** Channels; one to the fake upstream by default. */
  channels?: readonly ChannelFields[];
  /** The site has a budget that counts all calls: with the books, it is checked that it counted what users used. */
  hasBudget?: boolean;
  /** Stands before the upstream; channels lead to it. */
  front?: (upstreamUrl: string) => Promise<ProviderFront>;
}

export interface RelayScene extends AsyncDisposable {
  readonly app: TestApp;
  readonly upstream: FakeUpstream;
  readonly user: UserRecord;
  readonly token: TokenRecord;
  /** `sk-…` */
  readonly key: string;
  readonly channelIds: readonly number[];
  post(path: string, body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  chat(fields?: Record<string, unknown>, headers?: Record<string, string>): Promise<Response>;
  addChannel(fields?: ChannelFields): Promise<number>;
  addToken(fields?: TokenFields): Promise<{ token: TokenRecord; key: string }>;
  /** All consumption rows, oldest first, once there are `count` of them. */
  logs(count: number): Promise<LogRecord[]>;
  balance(): Promise<number>;
  /** Asserts that every book balances. */
  checkBooks(): Promise<void>;
}

export const testModel = 'gpt-4o-mini';

export async function createScene(engine: Engine, options: SceneOptions = {}): Promise<RelayScene> {
  const upstream = await startFakeUpstream();
  const front = await options.front?.(upstream.url);
  const there = front === undefined ? { base_url: upstream.url } : { base_url: front.url, ...front.channel };
  const app = await createTestApp(engine, options);
  const { context } = app;
  for (const [key, value] of Object.entries(options.settings ?? {})) await setOption(app, key, value);

  if (options.hasBudget === true) await addCountedBudget(context);

  const addChannel: RelayScene['addChannel'] = async (fields = {}) => {
    const id = await context.db.nextId('channels');
    await context.db.collection('channels').insert(buildChannel({ models: testModel, ...there, ...fields, id }, context.secrets));
    await context.changes.announce('channel', id);
    return id;
  };
  const channelIds: number[] = [];
  for (const fields of options.channels ?? [{}]) channelIds.push(await addChannel(fields));

  const user = await app.createUser({ quota: options.quota ?? 500_000_000 });
  const addToken: RelayScene['addToken'] = (fields) => createToken(context, user.id, fields);
  const { token, key } = await addToken(options.tokenQuota === undefined ? {} : { quota: options.tokenQuota });

  const post: RelayScene['post'] = (path, body, headers = {}, signal) =>
    fetch(`${app.origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  return {
    app,
    upstream,
    user,
    token,
    key,
    channelIds,
    post,
    chat: (fields = {}, headers = {}) =>
      post('/v1/chat/completions', { model: testModel, messages: [{ role: 'user', content: 'Say hello' }], ...fields }, headers),
    addChannel,
    addToken,
    async logs(count) {
      return until(async () => {
        const rows = await context.db.collection('logs').find({ type: 2 }, { sort: [['id', 1]] });
        return rows.length >= count ? rows : null;
      });
    },
    async balance() {
      const record = await context.db.collection('users').get(user.id);
      return record === null ? 0 : record.quota + Object.values(record.leases).reduce((sum, lease) => sum + lease, 0);
    },
    async checkBooks() {
      const report = await audit(context.db);
      if (report.findings.length > 0) throw new Error(`The books do not balance: ${JSON.stringify(report.findings)}`);
      if (options.hasBudget === true) await checkCountedBudget(context);
      const wrong = wrongReceipts(await context.db.collection('logs').find({ type: 4 }));
      if (wrong.length > 0) throw new Error(`Receipts do not add up: ${JSON.stringify(wrong)}`);
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await front?.close();
      await upstream.close();
    },
  };
}

/** Stores an option as an administrator's save would. */
export async function setOption(app: TestApp, key: string, value: string): Promise<void> {
  const { db, changes } = app.context;
  await db.collection('options').remove({ id: key });
  await db.collection('options').insert({ id: key, value, revision: 1, updated_at: 0, updated_by: 0 });
  await changes.announce('option', key);
  await app.context.settings.reload();
}

/** Waits for a condition: resolves with the first result that is not null. */
export async function until<T>(look: () => Promise<T | null> | T | null, ms = 60_000): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const result = await look();
    if (result !== null) return result;
    if (performance.now() > end) throw new Error('What the test waits for did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The data of every event of a stream. */
export async function readEvents(response: Response): Promise<string[]> {
  const text = await response.text();
  return text
    .split(/\r?\n\r?\n/)
    .filter((event) => event.startsWith('data:'))
    .map((event) => event.slice(5).trim());
}
