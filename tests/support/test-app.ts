// The whole server on a fresh database of either engine, listening on a port of its own. Every test file closes what it
// opened: `await using app = await createTestApp(engine)`, or `close()`.
import { pino } from 'pino';
import { Role } from '#shared/roles.ts';
import { insertAccount } from '#server/accounts/create-account.ts';
import { type App, createApp } from '#server/app.ts';
import { createContext, type RunningContext } from '#server/create-context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Network } from '#server/egress/egress.ts';
import { readEnv } from '#server/env.ts';
import { listen } from '#server/http/listen.ts';
import { createSession } from '#tests/support/build-token.ts';
import { buildUser, fastHash, type UserFields } from '#tests/support/build.ts';
import { createClock, type TestClock } from '#tests/support/clock.ts';
import { type Engine, openPatiently, type TestDatabase } from '#tests/support/engines.ts';
import { createClient, type TestClient } from '#tests/support/http-client.ts';

export const rootName = 'root';
export const testPassword = 'correct horse';

export interface TestAppOptions {
  /** Environment variables, as texts. Limits per address are off by default. */
  env?: Record<string, string>;
  /** Database that several apps share, as several server processes do; its creator removes it. */
  database?: TestDatabase;
  /** One clock for several apps. */
  clock?: TestClock;
  random?: () => number;
  consoleFolder?: string;
  /** What requests to addresses of users meet. */
  network?: Network;
  /** Maximum wait of a call for quota held elsewhere, milliseconds: where a busy machine must not end it. */
  leaseWaitMs?: number | undefined;
}

export interface TestApp extends AsyncDisposable {
  readonly origin: string;
  readonly port: number;
  /** Connections that are open. */
  connections(): Promise<number>;
  /** For a second app on the same database. */
  readonly database: TestDatabase;
  readonly app: App;
  readonly context: RunningContext;
  readonly clock: TestClock;
  /** A caller who is not signed in. */
  anonymous(): TestClient;
  /** Completes the set-up and returns the super admin, signed in. */
  setup(): Promise<TestClient>;
  /** Signs in with the password of all test users. @throws when that is refused */
  login(username: string, password?: string): Promise<TestClient>;
  /** A session of that user without the cost of a login. */
  as(user: Pick<UserRecord, 'id'>): Promise<TestClient>;
  /** A user with the test password; `quota` is credited through the ledger. */
  createUser(fields?: UserFields & { quota?: number }): Promise<UserRecord>;
  /** Stops like a server on a signal, without dropping the database. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export const testMasterKey = 'the master key of all test applications';

export async function createTestApp(engine: Engine, options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await engine.create());
  const env = readEnv({
    DATABASE_URL: database.url,
    LOG_LEVEL: 'silent',
    GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
    SHUTDOWN_GRACE: '1',
    ...options.env,
  });
  const clock = options.clock ?? createClock();
  // With a shared database, a separate handle, as a server process has; `context.close()` closes it.
  const db = options.database === undefined ? database.db : await openPatiently(database.url, { hasSchema: true });
  const context = await createContext({
    env,
    db,
    masterKey: testMasterKey,
    now: clock.now,
    log: pino({ level: env.LOG_LEVEL }),
    ...(options.random === undefined ? {} : { random: options.random }),
    ...(options.network === undefined ? {} : { network: options.network }),
    leaseWaitMs: options.leaseWaitMs,
  });
  const app = createApp(context, options.consoleFolder === undefined ? {} : { consoleFolder: options.consoleFolder });
  const listening = await listen(app.listeners, { port: 0, host: '127.0.0.1', clientTimeout: env.CLIENT_TIMEOUT });
  const origin = `http://127.0.0.1:${listening.port}`;
  let isStopped = false;

  const login: TestApp['login'] = async (username, password = testPassword) => {
    const client = createClient(origin);
    const answer = await client.post('/api/user/login', { username, password });
    if (!answer.success) throw new Error(`The login of ${username} was refused: ${answer.message}`);
    client.setUser(answer.data.id);
    return client;
  };

  const as: TestApp['as'] = async (user) => {
    const client = createClient(origin);
    client.setCookie(await createSession(context, user));
    client.setUser(user.id);
    return client;
  };

  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    app.drain();
    const cut = AbortSignal.timeout(env.SHUTDOWN_GRACE * 1000);
    await listening.close({ idle: AbortSignal.abort(), cut, atEnd: app.shutDown });
    await context.close();
  };

  const close = async () => {
    await stop();
    if (options.database === undefined) await database.remove();
  };

  return {
    origin,
    port: listening.port,
    connections: () => new Promise((resolve) => listening.server.getConnections((_failure, count) => resolve(count ?? 0))),
    database,
    app,
    context,
    clock,
    anonymous: () => createClient(origin),
    async setup() {
      // As after a set-up that broke off when the account was there: its password is not hashed once more.
      const passwordHash = fastHash(testPassword);
      const root = await insertAccount(context, {
        username: rootName,
        displayName: 'Root User',
        passwordHash,
        role: Role.root,
        actorId: 0,
      });
      const answer = await createClient(origin).post('/api/setup', {});
      if (!answer.success) throw new Error(`The set-up was refused: ${answer.message}`);
      return as(root);
    },
    login,
    as,
    async createUser({ quota = 0, ...fields } = {}) {
      const user = await buildUser(context, { password: testPassword, ...fields });
      await context.db.collection('users').insert(user);
      if (quota > 0) {
        await context.ledger.change({ account: 'user', id: user.id, amount: quota, kind: 'test', ref: `test:${user.id}`, actorId: 0 });
      }
      return (await context.db.collection('users').get(user.id)) ?? user;
    },
    stop,
    close,
    [Symbol.asyncDispose]: close,
  };
}
