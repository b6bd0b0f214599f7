// What the embedded engine costs on the relay's path: `node tests/bench/storage-bench.ts`, on a quiet machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Write } from '#server/db/database.ts';
import { collections } from '#server/db/collections.ts';
import { openDatabase } from '#server/db/open.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { SessionSums } from '#server/money/settlement/session-sums.ts';
import { sessionKey } from '#server/money/settlement/session-writes.ts';
import { logRecord, userRecord } from '#tests/contract/records.ts';

const rounds = 64_000;
const accounts = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
const db = await openDatabase(`file:${join(folder, 'bench.db')}`);
const users = db.collection('users');
await db.write(
  Array.from({ length: accounts }, (_, index) => ({
    insert: userRecord({ id: index + 1, quota: 2 ** 50, applied: { p: 0 } }),
    into: 'users',
  })),
);

let seq = 0;
/** Calls of one session in a hundred. */
const sessionCalls = 100;

async function row(isOfSession = false): Promise<{ insert: LogRecord; into: 'logs'; ignoreConflict: true }> {
  seq += 1;
  const log = logRecord({
    id: await db.nextId('logs'),
    user_id: 1 + (seq % accounts),
    created_at: 1_700_000_000 + Math.floor(seq / 100),
    token_id: 1 + (seq % (3 * accounts)),
    channel_id: 1 + (seq % 10),
    model_name: `model-${seq % 20}`,
    username: `user${1 + (seq % accounts)}`,
    quota: 1_234,
    prompt_tokens: 100,
    completion_tokens: 200,
    other: { model_ratio: 1.25, group_ratio: 1, completion_ratio: 8, frt: 120, admin_info: { use_channel: [1] } },
    process: 'p',
    seq,
    request_id: `request-${seq}`,
    ...(isOfSession ? ofSession(Math.floor(seq / sessionCalls)) : {}),
  });
  return { insert: log, into: 'logs', ignoreConflict: true };
}

function ofSession(number: number): Partial<LogRecord> {
  const session = { id: `7a0f1c7e-6f0a-4a55-9d5e-${number}`, client: 'claude-cli/2.1.330' };
  return { session_key: sessionKey(1, 1, session.id), other: { model_ratio: 1.25, cache_tokens: 50, session } };
}

const settlement = (): Write => ({
  patch: { increment: { 'leases.p': -1_234, used_quota: 1_234, request_count: 1 }, set: { 'applied.p': seq } },
  of: 'users',
  where: { id: 1 + (seq % accounts), 'applied.p': { lt: seq } },
});

console.log(`${collections.logs.indexes.length} indexes on logs`);
for (const perCommit of [1, 32]) {
  for (const [name, patches, isOfSession] of [
    ['log rows', 0, false],
    ['log rows of sessions', 0, true],
    ['log rows, each with its account', 1, false],
  ] as const) {
    let spent = 0;
    for (let done = 0; done < rounds; done += perCommit) {
      const batch: Write[] = [];
      for (let index = 0; index < perCommit; index += 1) {
        batch.push(await row(isOfSession));
        if (patches === 1) batch.push(settlement());
      }
      const start = performance.now();
      await db.write(batch);
      spent += performance.now() - start;
    }
    console.log(`${name}, ${perCommit} a commit: ${((spent / rounds) * 1_000).toFixed(1)} µs each`);
  }
}
// What a call adds to its session, a moment after it is settled: alone, and with 31 others of a few sessions.
for (const together of [1, 32]) {
  const sums = new SessionSums({ db, log: pino({ level: 'silent' }) });
  let spent = 0;
  for (let done = 0; done < rounds / 4; done += together) {
    for (let index = 0; index < together; index += 1) sums.add((await row(true)).insert);
    const start = performance.now();
    await sums.write();
    spent += performance.now() - start;
  }
  console.log(`sums of sessions, ${together} rows together: ${((spent / (rounds / 4)) * 1_000).toFixed(1)} µs each`);
}
for (const [name, call] of [
  ['get by id', (index: number) => users.get(1 + (index % accounts))],
  ['first by a unique index', (index: number) => users.first({ username: `user${1 + (index % accounts)}` })],
  ['conditional patch', (index: number) => users.patch({ id: 1 + (index % accounts), quota: { gte: 1 } }, { increment: { quota: -1 } })],
  [
    'newest ten of a user',
    (index: number) => db.collection('logs').find({ user_id: 1 + (index % accounts) }, { sort: [['created_at', -1]], limit: 10 }),
  ],
] as const) {
  const start = performance.now();
  for (let index = 0; index < 20_000; index += 1) await call(index);
  console.log(`${name}: ${(((performance.now() - start) / 20_000) * 1_000).toFixed(1)} µs`);
}
await db.close();
rmSync(folder, { recursive: true, force: true });
