// Measures every query of the dashboard and the home screens, and the delay that they cause in a paced stream through the same process. Part of `npm
// run bench -- logs`. Wall time depends on other load of the machine, the time of the CPU (of all threads) does not.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { Role } from '#shared/roles.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { readOperatorTodo } from '#server/features/dashboard/read-operator-todo.ts';
import { readFigures } from '#server/features/dashboard/read-figures.ts';
import { listLogs, listOwnLogs } from '#server/features/logs/list-logs.ts';
import { sumLogs } from '#server/features/logs/log-stat.ts';
import type { PacedResult, PacedRun } from '#tests/bench/paced-stream.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { createClock } from '#tests/support/clock.ts';
import type { TestDatabase } from '#tests/support/engines.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const day = 86_400;
const repeats = 9;
const streamSeconds = 10;
/** Pause between two queries during the stream. */
const paceMs = 100;
const model = 'gpt-4o-mini';
const print = (line: string) => void process.stdout.write(`${line}\n`);
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Question {
  name: string;
  ask: (app: TestApp) => Promise<unknown>;
}

/** `at`: the moment of the newest row, unix seconds. The folding is done. */
export async function benchViews(url: string, at: number): Promise<void> {
  const db = await openDatabase(url);
  await reserveIds(db);
  const database: TestDatabase = { url, db, open: () => openDatabase(url), remove: () => db.close() };
  const clock = createClock();
  clock.advance((at + 30) * 1000 - clock.now());
  const app = await createTestApp({ kind: 'embedded', create: async () => database }, { database, clock });
  try {
    const firsts: number[] = [];
    const medians: number[] = [];
    print('  first ms, median ms, CPU ms of a repetition');
    for (const { name, ask } of questions(at)) {
      const times: number[] = [];
      let used = 0;
      for (let round = 0; round <= repeats; round += 1) {
        const cpu = process.cpuUsage();
        const start = performance.now();
        await ask(app);
        times.push(performance.now() - start);
        const { user, system } = process.cpuUsage(cpu);
        if (round > 0) used += (user + system) / 1000 / repeats;
      }
      const [first = Number.NaN, ...others] = times;
      firsts.push(first);
      medians.push(median(others));
      print(`  ${[first, median(others), used].map((value) => value.toFixed(1).padStart(8)).join('')}  ${name}`);
    }
    print(
      `questions: ${medians.length}, median ${median(medians).toFixed(1)} ms, worst ${Math.max(...medians).toFixed(1)} ms; asked the first time: median ${median(firsts).toFixed(1)} ms, worst ${Math.max(...firsts).toFixed(1)} ms`,
    );
    await benchStream(app, at);
  } finally {
    await app.close();
    await db.close();
  }
}

/** Users of the log have theirs without having drawn them. */
async function reserveIds(db: Database): Promise<void> {
  const [newest] = await db.collection('users').find({}, { sort: [['id', -1]], limit: 1 });
  let [drawn = 0] = await db.nextIds('users', 1);
  while (drawn <= (newest?.id ?? 0)) drawn = (await db.nextIds('users', (newest?.id ?? 0) - drawn + 1)).at(-1) ?? Infinity;
}

async function benchStream(app: TestApp, at: number): Promise<void> {
  const file = path.join(import.meta.dirname, 'paced-stream.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? '{}');
  try {
    const { port } = await next();
    const { context } = app;
    const id = await context.db.nextId('channels');
    await context.db
      .collection('channels')
      .insert(buildChannel({ id, models: model, base_url: `http://127.0.0.1:${port}` }, context.secrets));
    await context.changes.announce('channel', id);
    const user = await app.createUser({ username: `paced${id}`, quota: 500_000_000, role: Role.user });
    const { key } = await createToken(context, user.id, {});
    const run = async (): Promise<PacedResult> => {
      const requested: PacedRun = { port: app.port, key, model, seconds: streamSeconds };
      child.stdin.write(`${JSON.stringify(requested)}\n`);
      return next();
    };
    await run();
    const alone = await run();
    let isOver = false;
    let count = 0;
    const busy = (async () => {
      while (!isOver) {
        for (const { ask } of questions(at)) {
          if (isOver) return;
          count += 1;
          await Promise.all([ask(app), setTimeout(paceMs)]);
        }
      }
    })();
    const beside = await run();
    isOver = true;
    await busy;
    const reported = ({ pieces, p50, p99, max }: PacedResult) =>
      `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, max ${max.toFixed(2)} ms (${pieces} pieces)`;
    print(`a paced stream, alone: ${reported(alone)}`);
    print(`a paced stream beside ${(count / streamSeconds).toFixed(0)} questions/s: ${reported(beside)}`);
  } finally {
    child.kill();
  }
}

function* questions(at: number): Generator<Question> {
  const midnight = at - (at % day);
  const own = [
    [1, 'a reseller'],
    [900, 'a user'],
  ] as const;
  const spans = [
    ['day', 'hour', at - day + 3600],
    ['week', 'day', midnight - 6 * day],
    ['month', 'day', midnight - 29 * day],
  ] as const;
  const requested = (step: string, by: string, start: number) => ({
    step: step as 'hour' | 'day',
    by: by as 'model',
    start_timestamp: start,
    end_timestamp: at,
    utc_offset: 480,
  });
  for (const [span, step, start] of spans) {
    for (const by of ['model', 'token', 'channel', 'user'])
      yield { name: `dashboard, ${span} by ${by}`, ask: ({ context }) => readFigures(context, requested(step, by, start)) };
    for (const [id, who] of own)
      for (const by of ['model', 'token'])
        yield { name: `dashboard of ${who}, ${span} by ${by}`, ask: ({ context }) => readFigures(context, requested(step, by, start), id) };
  }
  yield { name: 'operator home, today', ask: ({ context }) => readFigures(context, requested('hour', 'model', midnight - day)) };
  for (const by of ['model', 'user'])
    yield { name: `operator home, spend by ${by}`, ask: ({ context }) => readFigures(context, requested('day', by, midnight)) };
  yield {
    name: 'operator home, todo',
    ask: ({ context }) => readOperatorTodo(context, { role: Role.root, untrustedProxy: null, language: 'en' }),
  };
  for (const type of [5, 3])
    yield {
      name: `operator home, last rows of type ${type}`,
      ask: ({ context }) => listLogs(context, { type, p: 1, page_size: 5, without_total: true }),
    };
  for (const [id, who] of own) {
    yield { name: `home of ${who}, today`, ask: ({ context }) => readFigures(context, requested('hour', 'model', midnight - day), id) };
    yield { name: `home of ${who}, month`, ask: ({ context }) => readFigures(context, requested('day', 'model', midnight - 14 * day), id) };
    yield {
      name: `home of ${who}, week`,
      ask: ({ context }) => sumLogs(context, { type: 2, start_timestamp: at - 7 * day, end_timestamp: at + 60 }, id),
    };
    yield { name: `home of ${who}, latest calls`, ask: ({ context }) => listOwnLogs(context, { type: 2, p: 1, page_size: 9 }, id) };
  }
}
