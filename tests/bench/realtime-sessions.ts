// `npm run bench -- realtime [turns]`: what 200 realtime sessions cost a server process, turn after turn. Memory has to stay flat, every turn be
// charged, and the books balance.
import { setTimeout as sleep } from 'node:timers/promises';
import { LogType } from '#shared/logs.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { halfSecond, startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import { connectSocket } from '#tests/support/socket-client.ts';

const megabyte = 1024 * 1024;
const sessions = 200;
const model = 'gpt-realtime';
/** Of all of them, once they have run for a while. */
const mostGrowth = 24 * megabyte;
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** @returns whether memory stayed flat, all was charged, and the books balance */
export async function benchRealtime(turns = 20): Promise<boolean> {
  const upstream = await startFakeRealtime();
  upstream.behave({ deltas: 20 });
  const scratch = await createScratch(undefined);
  const key = await scratch.withContext(async (context) => {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: 1_000_000_000_000 });
    await context.db.collection('channels').insert(buildChannel({ id: 1, models: model, base_url: upstream.url }, context.secrets));
    await context.db.collection('options').insert({
      id: 'ModelRatio',
      value: JSON.stringify({ [model]: 2 }),
      revision: 1,
      updated_at: 0,
      updated_by: 0,
    });
    return (await createToken(context, user.id)).key;
  });
  const server = await startServer({ DATABASE_URL: scratch.url, MAX_SOCKETS_PER_USER: '1000' });
  const run = async () => {
    const url = `${server.origin}/v1/realtime?model=${model}`;
    const client = await connectSocket(url, { headers: { authorization: `Bearer ${key}` } });
    return async () => {
      for (let second = 0; second < 4; second += 1) client.send({ type: 'input_audio_buffer.append', audio: halfSecond });
      client.send({ type: 'input_audio_buffer.commit' });
      client.send({ type: 'response.create' });
      while ((await client.next())['type'] !== 'response.done');
    };
  };
  try {
    const all = await Promise.all(Array.from({ length: sessions }, run));
    const half = Math.ceil(turns / 2);
    const begin = performance.now();
    for (let turn = 0; turn < half; turn += 1) await Promise.all(all.map((next) => next()));
    await sleep(3_000);
    const before = server.memory();
    for (let turn = half; turn < turns; turn += 1) await Promise.all(all.map((next) => next()));
    await sleep(3_000);
    const growth = server.memory() - before;
    const seconds = (performance.now() - begin) / 1000 - 6;
    print(`${sessions} sessions, ${turns} turns each: ${((sessions * turns) / seconds).toFixed(0)} turns a second`);
    print(`memory: ${(before / megabyte).toFixed(0)} MB at half, ${(growth / megabyte).toFixed(1)} MB more at the end`);
    await server.kill('SIGTERM');
    const rows = await scratch.withContext(({ db }) => db.collection('logs').count({ type: LogType.consumption }));
    const books = await runAudit(scratch.url);
    print(`${rows} rows; audit: ${books.output.trim()}`);
    return growth <= mostGrowth && rows === sessions * turns && books.code === 0;
  } finally {
    await server.kill('SIGKILL').catch(() => {});
    await scratch.remove();
    await upstream[Symbol.asyncDispose]();
  }
}
