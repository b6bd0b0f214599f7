// `npm run bench -- realtime [minutes] [sessions]`: realtime sessions for so long, each with turns of audio and of texts at the pace of speech. The
// memory of the server must stay flat, every turn must be charged as its provider has billed it, and the books must balance.
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { LogType } from '#shared/logs.ts';
import { askMemory, type HeldMemory, inspected } from '#tests/bench/heap-of.ts';
import { start } from '#tests/bench/processes.ts';
import type { Billed, BilledText, BilledTurn } from '#tests/bench/realtime-provider.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { createScratch, type ScratchDatabase } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';

const megabyte = 1024 * 1024;
const model = 'gpt-realtime';
const writer = 'gpt-4o-transcribe';
const ratios = {
  ModelRatio: { [model]: 2, [writer]: 1.25 },
  CompletionRatio: { [model]: 4, [writer]: 4 },
  ImageRatio: {},
  CacheRatio: { [model]: 0.1 },
  AudioRatio: { [model]: 8, [writer]: 2.4 },
  AudioCompletionRatio: { [model]: 2 },
  AudioCacheRatio: { [model]: 0.0125 },
};
/** The same prices once more, of whole numbers: tenths of a token, then quota. */
const turnQuota = ({ text, audio, cachedText, cachedAudio, writtenText, spokenAudio }: BilledTurn) => {
  const read = (text - cachedText) * 10 + (cachedText + cachedAudio) + (audio - cachedAudio) * 80;
  return Math.ceil((read + writtenText * 40 + spokenAudio * 160) / 5);
};
const textQuota = ({ received, written }: BilledText) => Math.ceil((received * 12 + written * 20) / 4);
/** Of the heap, from a quarter of the time to the end, and of heap and buffers when all are gone: what is on its way then is no growth. */
const mostGrowth = 16 * megabyte;
/** Milliseconds from the beginning of a turn to that of the next one. */
const turnMs = 10_000;
/** Milliseconds of sound in one event. */
const chunkMs = 400;
const chunk = JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.alloc(chunkMs * 48).toString('base64') });
const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'When is high water at the pier?' }] };
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** @returns whether memory stayed flat, all was charged as it was billed, and the books balance */
export async function benchRealtime(minutes = 1, sessions = 200): Promise<boolean> {
  const provider = await start('realtime-provider.ts');
  const scratch = await createScratch(undefined);
  const key = await prepare(scratch, `http://127.0.0.1:${provider.port}`);
  const server = await startServer({ DATABASE_URL: scratch.url, MAX_SOCKETS_PER_USER: '1000', MAX_SOCKETS_MB: '100', ...inspected });
  try {
    const memory = await askMemory(server);
    const until = performance.now() + minutes * 60_000;
    const speakers = Array.from({ length: sessions }, (_, index) =>
      speak(`${server.origin}/v1/realtime?model=${model}`, { key, index, until }),
    );
    const made = Promise.all(speakers);
    const held: HeldMemory[] = [];
    for (let quarter = 1; quarter <= 4; quarter += 1) {
      await sleep(Math.max(0, until - performance.now() - (minutes * 60_000 * (4 - quarter)) / 4 - 2_000));
      const now = await memory.read();
      held.push(now);
      print(`  after ${((minutes * quarter) / 4).toFixed(2)} minutes: ${reported(now)}; load ${loadavg()[0]?.toFixed(1)}`);
    }
    const turns = (await made).reduce((sum, count) => sum + count, 0);
    const billed = (await (await fetch(`http://127.0.0.1:${provider.port}/`)).json()) as Billed;
    const after = await memory.read();
    print(`  all are gone: ${reported(after)}`);
    // A process waits for its inspector's clients before it ends.
    memory[Symbol.dispose]();
    await server.kill('SIGTERM');
    return (await isCharged(scratch, billed, turns)) && isFlat(held, after);
  } finally {
    await server.kill('SIGKILL').catch(() => {});
    await scratch.remove();
    await provider.stop();
  }
}

async function prepare(scratch: ScratchDatabase, url: string): Promise<string> {
  return scratch.withContext(async (context) => {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, ref: 'seed', kind: 'redemption', actorId: 0, amount: 1_000_000_000_000 });
    await context.db.collection('channels').insert(buildChannel({ id: 1, models: `${model},${writer}`, base_url: url }, context.secrets));
    for (const [id, value] of Object.entries(ratios))
      await context.db.collection('options').insert({ id, value: JSON.stringify(value), revision: 1, updated_at: 0, updated_by: 0 });
    return (await createToken(context, user.id)).key;
  });
}

/** Runs one session: a turn, a pause, and the next one, until the time is over. Resolves with the number of completed turns. */
async function speak(url: string, { key, index, until }: { key: string; index: number; until: number }): Promise<number> {
  // Not all in one moment.
  await sleep((index % 100) * (turnMs / 100));
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers: { authorization: `Bearer ${key}` }, perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let turns = 0;
  let done = () => {};
  const gone = new Promise<never>((_resolve, reject) => socket.once('close', (code) => reject(new Error(`A session ended with ${code}`))));
  gone.catch(() => {});
  socket.on('message', (data: Buffer) => {
    const begin = data.subarray(0, 200).toString('latin1');
    if (begin.includes('"type":"error"')) socket.close(4000, data.toString('utf8').slice(0, 100));
    if (!begin.includes('"type":"response.done"')) return;
    turns += 1;
    done();
  });
  // A third of them use the provider's voice detection, without requests for responses.
  const isInputAudio = index % 3 === 0;
  const input = { turn_detection: isInputAudio ? { type: 'server_vad' } : null, transcription: { model: writer } };
  socket.send(JSON.stringify({ type: 'session.update', session: { type: 'realtime', audio: { input } } }));
  while (performance.now() < until) {
    const begin = performance.now();
    const answered = new Promise<void>((resolve) => (done = resolve));
    await ask(socket, { isInputAudio, isText: turns % 3 === 2 });
    await Promise.race([answered, gone]);
    await sleep(Math.max(0, turnMs - (performance.now() - begin)));
  }
  // What is still being written down comes to its end.
  await sleep(2_000);
  socket.close(1000);
  return turns;
}

async function ask(socket: WebSocket, { isInputAudio, isText }: { isInputAudio: boolean; isText: boolean }): Promise<void> {
  if (isText) socket.send(JSON.stringify({ type: 'conversation.item.create', item }));
  else {
    for (let ms = 0; ms < 4_000; ms += chunkMs) {
      socket.send(chunk);
      await sleep(chunkMs);
    }
    if (!isInputAudio) socket.send('{"type":"input_audio_buffer.commit"}');
  }
  if (isText || !isInputAudio) socket.send('{"type":"response.create"}');
}

const reported = ({ heap, external, rss, files }: HeldMemory) =>
  `heap ${(heap / megabyte).toFixed(1)} MB, buffers ${(external / megabyte).toFixed(1)} MB, resident ${(rss / megabyte).toFixed(0)} MB (files ${(files / megabyte).toFixed(0)})`;

function isFlat(held: readonly HeldMemory[], after: HeldMemory): boolean {
  const [first, last] = [held[0], held.at(-1)];
  if (first === undefined || last === undefined) return false;
  const growth = Math.max(last.heap - first.heap, after.heap + after.external - first.heap - first.external);
  print(`memory: ${(growth / megabyte).toFixed(1)} MB more at the end than at a quarter`);
  return growth <= mostGrowth;
}

/** Whether what was charged is what the provider has billed, turn for turn. */
async function isCharged(scratch: ScratchDatabase, { turns, texts }: Billed, made: number): Promise<boolean> {
  const rows = await scratch.withContext(({ db }) => db.collection('logs').find({ type: LogType.consumption }));
  const charged = (name: string) => rows.filter((row) => row.model_name === name).map(({ quota }) => quota);
  const isAlike = [
    compare('turns', charged(model), turns.map(turnQuota)),
    compare('transcriptions', charged(writer), texts.map(textQuota)),
  ].every(Boolean);
  const books = await runAudit(scratch.url);
  print(`${made} turns were heard to their end; audit: ${books.output.trim()}`);
  return isAlike && made === turns.length && books.code === 0;
}

function compare(what: string, charged: readonly number[], billed: readonly number[]): boolean {
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  print(`${what}: ${billed.length} billed with ${sum(billed)}, ${charged.length} charged with ${sum(charged)}`);
  const [one, other] = [charged, billed].map((amounts) => amounts.toSorted((a, b) => a - b).join());
  return one === other;
}
