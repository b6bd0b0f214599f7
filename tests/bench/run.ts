// `npm run bench`: what Tidegate costs, against a bare proxy in the same run. Absolute figures mean little on a shared
// machine; the ratios are what counts. `npm run bench -- quick` for a short run, `-- memory` for ten minutes of streams.
// Also of streams that are translated, against those that pass through: `-- translations` for those alone.
// `-- limits`: what a token limit and a budget add to a call.
// `-- scaling`: two processes against one, and MongoDB (TEST_MONGODB_URL) against the embedded database.
// `-- sockets`: what a thousand idle WebSockets take. `-- realtime [minutes] [sessions]`: what 200 realtime sessions take. `-- uploads [count]`: what forms of 60 MB take. `-- logs [rows]`: how long the usage log takes to answer, see `log-bench.ts`. `-- imports [users] [rows]`: time and memory of an import.
// BENCH_OTHER_NODE names another Node (22.19 or newer): calls at 32 connections are then compared with a
// bare proxy on that one too.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchImport } from '#tests/bench/import-bench.ts';
import { benchIdleSockets } from '#tests/bench/idle-sockets.ts';
import { benchRealtime } from '#tests/bench/realtime-sessions.ts';
import { benchLogs } from '#tests/bench/log-bench.ts';
import type { LoadOptions, LoadResult } from '#tests/bench/load.ts';
import { isNative, load, start, type Started, startServer, startUpstream } from '#tests/bench/processes.ts';
import { isPinned } from '#tests/bench/native-tools.ts';
import { benchKey, benchSecret, seed } from '#tests/bench/seed.ts';
import { costAlone, costUnderLoad } from '#tests/bench/limited-calls.ts';
import { benchUploads } from '#tests/bench/uploads.ts';
import type { ChannelFields } from '#tests/support/build-channel.ts';
import { audit } from '#server/money/audit.ts';
import { openDatabase } from '#server/db/open.ts';
import { dropMongoDatabase, mongoUrl, testMongoUrl } from '#tests/support/mongo-databases.ts';

if (process.argv.includes('logs')) {
  await benchLogs(Number(process.argv[process.argv.indexOf('logs') + 1] ?? 2_000_000));
  process.exit();
}

if (process.argv.includes('imports')) {
  const [users, logs] = process.argv.slice(process.argv.indexOf('imports') + 1).map(Number);
  process.exit(await benchImport(users, logs));
}

if (process.argv.includes('sockets')) {
  const most = 40 * 1024 * 1024;
  process.exit((await benchIdleSockets()) <= most ? 0 : 1);
}

if (process.argv.includes('realtime')) {
  const [minutes, sessions] = process.argv.slice(process.argv.indexOf('realtime') + 1).map(Number);
  process.exit((await benchRealtime(minutes, sessions)) ? 0 : 1);
}

if (process.argv.includes('uploads')) {
  const count = Number(process.argv[process.argv.indexOf('uploads') + 1] ?? 8);
  process.exit((await benchUploads(count, process.argv.includes('plain'))) <= 4 * 1024 * 1024 ? 0 : 1);
}

const isQuick = process.argv.includes('quick');
const rounds = isQuick ? 2 : 5;
const seconds = isQuick ? 2 : 4;
const folder = mkdtempSync(path.join(tmpdir(), 'tidegate-bench-'));
const key = `sk-${benchKey}`;
let nextPort = 31_000 + (process.pid % 1000) * 4;
let databases = 0;

const upstream = await startUpstream();
const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
const bare = await start('bare-proxy.ts', { UPSTREAM: upstreamUrl });
const durable = await start('bare-proxy.ts', { UPSTREAM: upstreamUrl, JOURNAL: path.join(folder, 'journal.db') });
const otherNode = process.env['BENCH_OTHER_NODE'];
const other = otherNode === undefined ? undefined : await start('bare-proxy.ts', { UPSTREAM: upstreamUrl }, otherNode);

async function serverWith(tokens: number, channels: number, channel: ChannelFields = {}): Promise<Started & { url: string }> {
  databases += 1;
  const url = `file:${path.join(folder, `${databases}.db`)}`;
  await seed(url, { upstream: upstreamUrl, tokens, channels, channel });
  return { ...(await serverOn(url)), url };
}

/** Several processes share all cores with what measures them. */
function serverOn(url: string, workers = 1): Promise<Started> {
  nextPort += 1;
  return startServer({ DATABASE_URL: url, SESSION_SECRET: benchSecret, WORKERS: String(workers) }, nextPort, { isPinned: workers === 1 });
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const percent = (value: number) => `${Math.round(value * 100)} %`;
const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`;
const print = (line = '') => void process.stdout.write(`${line}\n`);

interface Target {
  name: string;
  port: number;
  /** Path of the calls, by default of chat completions. */
  path?: string;
}

/** The same load on every target in turn, several times; results by target. */
async function compare(targets: readonly Target[], options: Omit<LoadOptions, 'port' | 'seconds'>): Promise<Map<string, LoadResult[]>> {
  const results = new Map<string, LoadResult[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, ...target } of targets) {
      const result = await load({ ...options, ...target, seconds, key });
      if (result.failures > 0) throw new Error(`${name}: ${result.failures} responses failed`);
      results.get(name)?.push(result);
    }
  }
  return results;
}

function ratios(results: Map<string, LoadResult[]>, name: string, floor: string): number {
  const own = results.get(name) ?? [];
  const base = results.get(floor) ?? [];
  return median(own.map((result, round) => result.perSecond / (base[round]?.perSecond ?? Number.NaN)));
}

/** Cost of durable books alone, for any gateway: the bare proxy that waits for one row a response. */
const durableFloor = 'bare, durable row';
const otherFloor = 'bare proxy, other Node';

function throughput(title: string, results: Map<string, LoadResult[]>): void {
  print(title);
  for (const [name, list] of results) {
    const rate = median(list.map((result) => result.perSecond));
    print(
      `  ${name.padEnd(22)} ${perSecond(rate).padStart(10)}  ${percent(ratios(results, name, 'bare proxy')).padStart(6)} of the bare proxy`,
    );
  }
  if (results.has(otherFloor))
    print(`  tidegate against the bare proxy on the other Node: ${percent(ratios(results, 'tidegate', otherFloor))}`);
}

print(
  isNative
    ? 'Load and upstream are compiled.'
    : 'No C compiler: load and upstream run on Node and are the limit themselves, so ratios flatter.',
);
print(isPinned ? 'The server has a core of its own.' : 'Nothing is pinned to a core: figures vary more.');

try {
  const tidegate = await serverWith(10, 1);
  const targets = [
    { name: 'direct', port: upstream.port },
    { name: 'bare proxy', port: bare.port },
    { name: 'tidegate', port: tidegate.port },
  ];
  const withDurable = [...targets, { name: durableFloor, port: durable.port }];
  const floors = other === undefined ? withDurable : [...withDurable, { name: otherFloor, port: other.port }];
  if (process.argv.includes('memory')) await memoryOverTime(tidegate);
  else if (process.argv.includes('translations')) await translations();
  else if (process.argv.includes('scaling')) await scaling();
  else if (process.argv.includes('limits')) await limits(tidegate);
  else {
    throughput('JSON, 32 connections', await compare(floors, { connections: 32 }));
    throughput(
      'Streams of 50 chunks, 1 ms apart, 32 connections',
      await compare(floors, { connections: 32, stream: true, model: 'mock-n50-d1' }),
    );
    throughput(
      'Streams of 50 chunks in one burst, 32 connections',
      await compare(floors, { connections: 32, stream: true, model: 'mock-n50' }),
    );

    throughput(
      'Streams of 50 chunks, 1 ms apart, 256 connections',
      await compare(targets, { connections: 256, stream: true, model: 'mock-n50-d1' }),
    );

    throughput(
      'Streams of 50 chunks, 10 ms apart, 512 connections',
      await compare(targets, { connections: 512, stream: true, model: 'mock-n50-d10' }),
    );

    if (isNative) await translations();

    const single = await compare(withDurable, { connections: 1 });
    const added = (share: 'p50' | 'p99', name: string) =>
      median((single.get(name) ?? []).map((result, round) => result[share] - (single.get('direct')?.[round]?.[share] ?? Number.NaN)));
    print('Added to a JSON call, one connection (against the upstream directly)');
    for (const name of ['bare proxy', durableFloor, 'tidegate'])
      print(`  ${name.padEnd(22)} p50 ${added('p50', name).toFixed(3)} ms   p99 ${added('p99', name).toFixed(3)} ms`);

    await limits(tidegate);

    print('Memory of 1,000 open streams');
    // Of fresh processes: those that have been under load hold memory that they are about to give back.
    for (const [name, server] of [
      ['bare proxy', await start('bare-proxy.ts', { UPSTREAM: upstreamUrl })],
      ['tidegate', await serverWith(10, 2)],
    ] as const) {
      print(`  ${name.padEnd(22)} ${((await openStreamMemory(server, 1000)) / 1e6).toFixed(1)} MB`);
      await server.stop();
    }

    if (!isQuick) {
      for (const [title, large] of [
        ['100,000 tokens against 10', await serverWith(100_000, 1)],
        ['1,000 channels against 1', await serverWith(10, 1000)],
      ] as const) {
        const results = await compare(
          [
            { name: 'bare proxy', port: tidegate.port },
            { name: 'large', port: large.port },
          ],
          { connections: 32 },
        );
        print(`${title}: ${percent(ratios(results, 'large', 'bare proxy'))} of the throughput`);
        await large.stop();
      }
    }
  }
  await tidegate.stop();
  const db = await openDatabase(tidegate.url);
  const report = await audit(db);
  await db.close();
  if (report.findings.length > 0) throw new Error(`The books do not balance after the run: ${JSON.stringify(report.findings)}`);
  print('Every book balances after the run.');
} finally {
  await Promise.all([upstream.stop(), bare.stop(), durable.stop(), other?.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

/** Streams of all pairs of formats, against the one that passes through with the same kind of caller. */
async function translations(): Promise<void> {
  const model = 'mock-n50';
  const formats = [
    { format: 'OpenAI', path: '/v1/chat/completions', channel: {} },
    { format: 'Claude', path: '/v1/messages', channel: { type: 14 } },
    { format: 'Responses', path: '/v1/responses', channel: { setting: '{"formats":["openai-responses"]}' } },
    {
      format: 'Gemini',
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      channel: { type: 24, model_mapping: JSON.stringify({ [model]: `gemini-${model}` }) },
    },
  ];
  print('Streams of 50 chunks in one burst, 32 connections, callers to upstreams');
  const servers = await Promise.all(formats.map(async ({ format, channel }) => ({ format, server: await serverWith(10, 1, channel) })));
  // `-- translations Claude Gemini`: these callers only.
  const named = formats.filter(({ format }) => process.argv.includes(format));
  for (const { format: caller, path: callerPath } of named.length === 0 ? formats : named) {
    const pairs = servers.map(({ format, server }) => ({ name: `${caller} to ${format}`, port: server.port, path: callerPath }));
    const floor = `${caller} to ${caller}`;
    const results = await compare(pairs, { connections: 32, stream: true, model });
    for (const [name, list] of results) {
      const rate = median(list.map((result) => result.perSecond));
      print(`  ${name.padEnd(22)} ${perSecond(rate).padStart(10)}  ${percent(ratios(results, name, floor)).padStart(6)} of ${floor}`);
    }
  }
  await Promise.all(servers.map(({ server }) => server.stop()));
}

/** What a token limit and a monthly budget add to a JSON call. */
async function limits(server: Started): Promise<void> {
  print('A token limit and a monthly budget add to a JSON call (lowest tenth, median)');
  const costs = {
    'CPU, 32 connections': await costUnderLoad(server, 32, isQuick ? 20 : 150),
    'time, one connection': await costAlone(server, isQuick ? 3_000 : 20_000),
  };
  for (const [name, { plain, added }] of Object.entries(costs)) {
    const [low, middle] = added.map((one) => one.toFixed(1));
    print(`  ${name.padEnd(22)} ${low} µs, ${middle} µs   to ${plain.map((one) => one.toFixed(0)).join(' µs, ')} µs`);
  }
}

/** Two processes on one embedded database, and one process on MongoDB, each against one process on an embedded database. */
async function scaling(): Promise<void> {
  const one = await serverWith(10, 1);
  const file = `file:${path.join(folder, 'two.db')}`;
  await seed(file, { upstream: upstreamUrl, tokens: 10, channels: 1 });
  const others = [{ name: 'two processes', server: await serverOn(file, 2) }];
  const mongo = testMongoUrl === undefined ? undefined : mongoUrl(testMongoUrl, `tidegate_bench_${process.pid}`);
  if (mongo !== undefined) {
    await seed(mongo, { upstream: upstreamUrl, tokens: 10, channels: 1 });
    others.push({ name: 'MongoDB', server: await serverOn(mongo) });
  }
  const targets = [{ name: 'one process, embedded', port: one.port }, ...others.map(({ name, server }) => ({ name, port: server.port }))];
  const results = await compare(targets, { connections: 32 });
  print('JSON, 32 connections');
  for (const { name } of targets) {
    const rate = median((results.get(name) ?? []).map((result) => result.perSecond));
    print(
      `  ${name.padEnd(22)} ${perSecond(rate).padStart(10)}  ${ratios(results, name, 'one process, embedded').toFixed(2)} × one process`,
    );
  }
  await Promise.all([one, ...others.map(({ server }) => server)].map((server) => server.stop()));
  if (mongo !== undefined) await dropMongoDatabase(mongo);
}

/** Resident memory that open streams add, in bytes for `count` of them. */
async function openStreamMemory(server: Started, count: number): Promise<number> {
  // Until the code is compiled and the first connections have been made.
  await load({ port: server.port, connections: 32, seconds: 2, stream: true, model: 'mock-n50', key });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = server.memory();
  const running = load({ port: server.port, connections: count, seconds: 8, warmupSeconds: 0, stream: true, model: 'mock-n600-d100', key });
  await new Promise((resolve) => setTimeout(resolve, 7_000));
  const during = server.memory();
  server.child.once('exit', () => {});
  await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 70_000))]);
  return during - before;
}

/** Ten minutes of 500 streams: memory must not grow after the first. */
async function memoryOverTime(server: Started): Promise<void> {
  const minutes = 10;
  const running = load({
    port: server.port,
    connections: 500,
    seconds: minutes * 60,
    warmupSeconds: 0,
    stream: true,
    model: 'mock-n600-d100',
    key,
  });
  const points: [number, number][] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    for (let step = 0; step < 4; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      if (minute > 1) points.push([(minute - 1) * 60 + (step + 1) * 15, server.memory()]);
    }
    print(`  minute ${minute}: ${(server.memory() / 1e6).toFixed(1)} MB`);
  }
  const result = await running;
  print(
    `  ${result.responses} streams, ${result.failures} failures, slope ${((slope(points) * 60) / 1e6).toFixed(3)} MB per minute after the first`,
  );
}

function slope(points: readonly [number, number][]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const top = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const bottom = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return top / bottom;
}
