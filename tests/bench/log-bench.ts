// Measures queries of the usage log: `npm run bench -- logs [rows]` (2,000,000). Every combination of filters, for an administrator and for users
// with many and few calls, over four ranges; then the queries of the screens (`view-bench.ts`). BENCH_LOG_FILE preserves the database between runs;
// BENCH_LOG_ONLY=views runs only the queries of the screens.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import type { AppContext } from '#server/context.ts';
import { openDatabase } from '#server/db/open.ts';
import { readFigures } from '#server/features/dashboard/read-figures.ts';
import { listLogs, listOwnLogs } from '#server/features/logs/list-logs.ts';
import { sumLogs } from '#server/features/logs/log-stat.ts';
import { foldLog } from '#server/logs/fold-log.ts';
import { seedLogs } from '#tests/bench/log-seed.ts';
import { benchViews } from '#tests/bench/view-bench.ts';

type BenchContext = Pick<AppContext, 'db' | 'now' | 'log'>;
type Given = Record<string, string | number>;

const end = 1_768_500_000;
const repeats = 5;
/** BENCH_LOG_EVERY=20: only one of so many combinations. */
const every = Number(process.env['BENCH_LOG_EVERY'] ?? 1);
const print = (line: string) => void process.stdout.write(`${line}\n`);

export async function benchLogs(rows: number): Promise<void> {
  const stored = process.env['BENCH_LOG_FILE'];
  const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-bench-'));
  const file = stored ?? path.join(folder, 'logs.db');
  const isNew = !existsSync(file);
  const db = await openDatabase(`file:${file}`);
  const context = { db, now: () => (end + 30) * 1000, log: pino({ level: 'silent' }) };
  try {
    if (isNew) await timed(`${rows.toLocaleString('en')} rows written`, () => seedLogs(db, rows, end));
    await timed('folded', async () => {
      const closed = Math.floor((context.now() / 1000 - 600) / 3600) * 3600;
      for (;;) {
        await foldLog(context);
        const head = await db.collection('log_folds').get('head');
        const behind = Math.min(head?.until ?? 0, head?.usage_until ?? 0);
        if (behind >= closed && Math.min(head?.days_until ?? 0, head?.usage_days_until ?? 0) + 86_400 > closed) break;
      }
    });
    for (const name of ['logs', 'log_hours', 'log_sums', 'usage_sums'] as const)
      print(`  ${name}: ${await db.collection(name).count({})} records`);
    if (process.env['BENCH_LOG_ONLY'] !== 'views') await benchAnswers(context);
  } finally {
    await db.close();
  }
  try {
    await benchViews(`file:${file}`, end);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchAnswers(context: BenchContext): Promise<void> {
  for (const [title, ask] of [
    ['statistics', (given: Given, own?: number) => sumLogs(context, given, own)],
    ['dashboard', (given: Given, own?: number) => readFigures(context, given, own)],
    ['lists', (given: Given, own?: number) => (own === undefined ? listLogs(context, given) : listOwnLogs(context, given, own))],
  ] as const) {
    const results: { ms: number; name: string }[] = [];
    for (const [index, { given, own }] of [...(title === 'dashboard' ? dashboards() : questions(title === 'lists'))].entries()) {
      if (index % every !== 0) continue;
      const times: number[] = [];
      // A query that takes so long is not repeated.
      for (let round = 0; round < repeats && (times.at(-1) ?? 0) < 1_000; round += 1) {
        const start = performance.now();
        await ask(given, own);
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      results.push({
        ms: times[Math.floor(times.length / 2)] ?? Number.NaN,
        name: `${own === undefined ? '' : `own ${own} `}${JSON.stringify(given)}`,
      });
    }
    results.sort((a, b) => a.ms - b.ms);
    const at = (share: number) => results[Math.min(results.length - 1, Math.floor(results.length * share))]?.ms.toFixed(1);
    const late = results.filter(({ ms }) => ms > 50).length;
    print(`${title}: ${results.length} combinations, median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms, above 50 ms: ${late}`);
    for (const { ms, name } of results.slice(-8)) print(`  ${ms.toFixed(1).padStart(8)} ms  ${name}`);
  }
}

function* questions(isList: boolean): Generator<{ given: Given; own?: number }> {
  const choices: Record<string, (string | number)[]> = {
    token_name: ['default', 'token-1-7'],
    model_name: ['gpt-1', 'rare-model', 'gpt%', '%-2'],
    channel: [3],
    group: ['default', 'rare-group'],
    ...(isList ? { type: [2] } : {}),
  };
  const times: Given[] = [
    {},
    { start_timestamp: end - (end % 86_400) },
    { start_timestamp: end - 7 * 86_400 + 1234 },
    { start_timestamp: end - 20 * 86_400 + 999, end_timestamp: end - 3 * 86_400 + 77 },
  ];
  let combinations: Given[] = [{}];
  for (const [name, values] of Object.entries(choices)) {
    combinations = combinations.flatMap((known) => [known, ...values.map((value) => ({ ...known, [name]: value }))]);
  }
  for (const time of times) {
    for (const combination of combinations) {
      const given = { ...combination, ...time };
      yield { given };
      yield { given: { ...given, username: 'user1' } };
      if (!('channel' in given)) yield { given, own: 1 };
      if (!('channel' in given)) yield { given, own: 900 };
    }
  }
}

function* dashboards(): Generator<{ given: Given; own?: number }> {
  for (const [step, days] of [
    ['hour', 1],
    ['hour', 7],
    ['day', 7],
    ['day', 30],
    ['week', 30],
  ] as const) {
    for (const by of ['model', 'channel', 'user', 'token']) {
      const given = { step, by, start_timestamp: end - days * 86_400, utc_offset: 480 };
      yield { given };
      yield { given: { ...given, username: 'user1' } };
      if (by === 'model' || by === 'token') yield { given, own: 1 };
      if (by === 'model' || by === 'token') yield { given, own: 900 };
    }
  }
}

async function timed(title: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now();
  await work();
  print(`${title}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
