// A server that gets a stop signal: open calls get their time, the rest is cut and settled, and the exit code is 0.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '#server/db/records/log.ts';
import { audit } from '#server/money/audit.ts';
import { leasedOf } from '#server/money/account.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { type FakeUpstream, startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createScene } from '#tests/support/relay-scene.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { type ServerProcess, startServer } from '#tests/support/server-process.ts';

const model = 'gpt-4o-mini';
const startQuota = 1_000_000_000;

interface Scene {
  server: ServerProcess;
  upstream: FakeUpstream;
  ask(isStream: boolean): Promise<Response>;
}

/** Runs a server for the test, which ends it; afterwards the books must be in order. Returns the log rows. */
async function withServer(mongo: string | undefined, graceSeconds: number, use: (scene: Scene) => Promise<void>): Promise<LogRecord[]> {
  const upstream = await startFakeUpstream();
  const scratch = await createScratch(mongo);
  const key = await scratch.withContext(async (context) => {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, amount: startQuota, kind: 'test', ref: 'start', actorId: 0 });
    await context.db.collection('channels').insert(buildChannel({ models: model, base_url: upstream.url }, context.secrets));
    return (await createToken(context, user.id, { quota: startQuota })).key;
  });
  const server = await startServer({ DATABASE_URL: scratch.url, SHUTDOWN_GRACE: String(graceSeconds) });
  const ask: Scene['ask'] = (isStream) =>
    fetch(`${server.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, stream: isStream, messages: [{ role: 'user', content: 'x' }] }),
    });
  try {
    await use({ server, upstream, ask });
    return await scratch.withContext(async ({ db }) => {
      for (const kind of ['users', 'tokens'] as const) {
        for await (const record of db.collection(kind).each({})) expect([kind, leasedOf(record), record.leases]).toEqual([kind, 0, {}]);
      }
      expect(await db.collection('processes').count({ state: 'recovering' })).toBe(0);
      expect((await audit(db)).findings).toEqual([]);
      return db.collection('logs').find({ type: 2 });
    });
  } finally {
    await server.kill('SIGKILL');
    await scratch.remove();
    await upstream.close();
  }
}

describe.each(engines)('a server on $kind that is told to end', ({ kind }) => {
  const mongo = kind === 'mongodb' ? testMongoUrl : undefined;

  test('lets open calls finish, takes no new ones, settles and exits with 0', async () => {
    const rows = await withServer(mongo, 10, async ({ server, upstream, ask }) => {
      upstream.queue({ text: 'a b c d e f g h i j k l', chunkDelay: 100 }, { firstByteDelay: 900, text: 'late but whole' });
      const stream = await ask(true);
      const whole = ask(false);
      await upstream.request(1);
      const ended = server.kill('SIGTERM');
      const waiting = { isOver: false };
      void ended.then(() => (waiting.isOver = true));
      await sleep(200);
      await expect(ask(false)).rejects.toThrow();
      expect((await stream.text()).trimEnd().endsWith('data: [DONE]')).toBe(true);
      expect(waiting.isOver).toBe(false);
      expect((await (await whole).json()).choices[0].message.content).toBe('late but whole');
      expect(await ended).toBe(0);
    });
    expect(rows.map(({ quota, other }) => [quota > 0, other?.['ending']])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  test('ends what is open beyond the grace with a word on why, and settles it', async () => {
    const rows = await withServer(mongo, 1, async ({ server, upstream, ask }) => {
      upstream.behave({ text: 'a b c d e f', holdAfter: 4 });
      const streams = await Promise.all(Array.from({ length: 5 }, () => ask(true)));
      // Nothing of this one has come.
      upstream.behave({ firstByteDelay: Infinity });
      const whole = ask(false).catch(() => null);
      const last = await upstream.request(5);
      const ended = server.kill('SIGTERM');
      for (const stream of streams) expect((await stream.text()).trimEnd().split('\n').at(-1)).toContain('"code":"shutting_down"');
      expect(await whole).toBeNull();
      expect(await ended).toBe(0);
      expect(await last.closed).toBe('aborted');
    });
    expect(rows.filter(({ other, quota }) => other?.['ending'] === 'shutdown' && quota > 0)).toHaveLength(5);
    expect(rows.filter(({ other, quota, is_stream }) => other?.['ending'] === 'shutdown' && quota === 0 && !is_stream)).toHaveLength(1);
  });
});

test('what still comes on open connections is refused with 503 and a hint when to come again', async () => {
  await using scene = await createScene(embeddedEngine);
  scene.app.app.drain();
  const response = await scene.chat();
  expect([response.status, response.headers.get('retry-after'), response.headers.get('connection')]).toEqual([503, '1', 'close']);
  expect(await response.json()).toMatchObject({ error: { code: 'shutting_down' } });
});
