// A server process is killed during realtime sessions: reported turns and used minutes are charged, once; other turns cost nothing, and nothing is held.
import { describe, expect, test } from 'vitest';
import { LogType } from '#shared/logs.ts';
import { chargeLostMinutes } from '#server/call/realtime/lost-minutes.ts';
import { leasedOf } from '#server/money/account.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';
import { halfSecond, startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import { connectSocket, type SocketClient } from '#tests/support/socket-client.ts';

const model = 'gpt-realtime';
const writer = 'gpt-4o-transcribe';
const quota = 50_000_000;

async function upTo(client: SocketClient, type: string): Promise<void> {
  while ((await client.next())['type'] !== type);
}

const spoken = 'grok-voice-latest';

describe.each(engines)('killed sessions on $kind', ({ kind }) => {
  test('by the minute are charged for the seconds that their process was alive, once, and hold nothing', async () => {
    await using upstream = await startFakeRealtime();
    const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
    const { key, userId } = await scratch.withContext(async (context) => {
      const user = await buildUser(context);
      await context.db.collection('users').insert(user);
      await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: quota });
      await context.db
        .collection('channels')
        .insert(buildChannel({ id: 1, type: 48, models: spoken, base_url: upstream.url }, context.secrets));
      return { key: (await createToken(context, user.id)).key, userId: user.id };
    });
    const server = await startServer({ DATABASE_URL: scratch.url });
    try {
      const begin = Date.now();
      const open = () => connectSocket(`${server.origin}/v1/realtime?model=${spoken}`, { headers: { authorization: `Bearer ${key}` } });
      using first = await open();
      using second = await open();
      await Promise.all([first.next(), second.next()]);
      // Long enough for a heartbeat.
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      await server.kill('SIGKILL');
      const alive = (Date.now() - begin) / 1000;
      const look = async () =>
        scratch.withContext(async (context) => {
          // When their minutes must be over, wherever they are.
          const later = { ...context, now: () => context.now() + 3 * 60_000 };
          await chargeLostMinutes(later);
          await chargeLostMinutes(later);
          const { db } = context;
          const rows = await db.collection('logs').find({ type: LogType.consumption });
          return { rows, user: await db.collection('users').get(userId), left: await db.collection('session_minutes').count({}, 10) };
        });
      await look();
      const { rows, user, left } = await look();
      expect(rows).toHaveLength(2);
      for (const row of rows) {
        expect(row).toMatchObject({ model_name: spoken, other: { ending: 'shutdown', units: { kind: 'minute', from: 0 } } });
        expect(row.use_time).toBeGreaterThanOrEqual(1);
        expect(row.use_time).toBeLessThanOrEqual(Math.ceil(alive));
        expect(row.quota).toBe(Math.ceil((row.use_time * 1_000) / 60) * 40);
      }
      expect(left).toBe(0);
      if (user === null) throw new Error('There is no user');
      expect(leasedOf(user)).toBe(0);
      expect(user.quota).toBe(quota - rows.reduce((sum, row) => sum + row.quota, 0));
      expect((await runAudit(scratch.url)).code).toBe(0);
    } finally {
      await server.kill('SIGKILL').catch(() => {});
      await scratch.remove();
    }
  });

  test('are charged for the turns that were told, and hold nothing', async () => {
    await using upstream = await startFakeRealtime();
    const scratch = await createScratch(kind === 'mongodb' ? testMongoUrl : undefined);
    const { key, userId } = await scratch.withContext(async (context) => {
      const user = await buildUser(context);
      await context.db.collection('users').insert(user);
      await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: quota });
      await context.db
        .collection('channels')
        .insert(buildChannel({ id: 1, models: `${model},${writer}`, base_url: upstream.url }, context.secrets));
      const option = { id: 'ModelRatio', value: JSON.stringify({ [model]: 2, [writer]: 1.25 }), revision: 1, updated_at: 0, updated_by: 0 };
      await context.db.collection('options').insert(option);
      return { key: (await createToken(context, user.id)).key, userId: user.id };
    });
    const server = await startServer({ DATABASE_URL: scratch.url });
    try {
      const open = () => connectSocket(`${server.origin}/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${key}` } });
      using first = await open();
      using second = await open();
      for (const client of [first, second]) {
        client.send({ type: 'response.create' });
        await upTo(client, 'response.done');
      }
      upstream.behave({ holdAfter: 1 });
      first.send({ type: 'response.create' });
      await upTo(first, 'response.output_audio.delta');
      // A text that was sent, and one that is in progress.
      using received = await connectSocket(`${server.origin}/v1/realtime?intent=transcription&model=${writer}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const writing = await upstream.peer(2);
      for (const wasReported of [true, false]) {
        received.send({ type: 'input_audio_buffer.append', audio: halfSecond });
        received.send({ type: 'input_audio_buffer.commit' });
        await upTo(received, 'input_audio_buffer.committed');
        if (!wasReported) break;
        writing.transcribe({ type: 'duration', seconds: 1 });
        await upTo(received, 'conversation.item.input_audio_transcription.completed');
      }
      await server.kill('SIGKILL');
      await Promise.all([first.closed, second.closed, received.closed]);
      await (
        await upstream.peer(0)
      ).closed;
      // The next process settles the unfinished work before it does anything else.
      const { rows, user } = await scratch.withContext(async ({ db }) => ({
        rows: await db.collection('logs').find({ type: LogType.consumption }),
        user: await db.collection('users').get(userId),
      }));
      expect(rows.map((row) => row.model_name).toSorted()).toEqual([writer, model, model]);
      const spent = rows.reduce((sum, row) => sum + row.quota, 0);
      expect(spent).toBeGreaterThan(0);
      if (user === null) throw new Error('There is no user');
      expect(leasedOf(user)).toBe(0);
      expect(user.quota).toBe(quota - spent);
      expect((await runAudit(scratch.url)).code).toBe(0);
    } finally {
      await server.kill('SIGKILL').catch(() => {});
      await scratch.remove();
    }
  });
});
