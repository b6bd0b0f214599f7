// How much of the server one plain call runs, once it is warm: function calls, functions, files, and bytes allocated. Counted by V8 (precise
// coverage, sampling heap profiler), so the figures do not depend on the machine or its load. `npm run check` compares them with
// call-budget.json, where a figure may fall and never rise by more than its slack; `-- --write` stores what was counted.
import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HeapProfiler } from 'node:inspector';
import { embeddedEngine } from '#tests/support/engines.ts';
import { storedLimits } from '#server/accounts/stored-limits.ts';
import type { TokenFields } from '#tests/support/build-token.ts';
import { createScene, type RelayScene, testModel } from '#tests/support/relay-scene.ts';

interface Figures {
  /** Calls of functions of server/ and shared/. */
  calls: number;
  functions: number;
  files: number;
  /** Allocated by these functions, and by what they call of Node and V8. */
  kilobytes: number;
  /** Part of these that survives collections of the young generation, although the calls have ended. */
  retained: number;
}

const warmUps = 1000;
const counted = 40;
const allocated = 300;
const repetitions = 2;
/** Timers and the sampling of allocations add a little. */
const slack = { calls: 1.01, functions: 1.01, files: 1.01, kilobytes: 1.05, retained: 1.5 };
const root = path.join(import.meta.dirname, '../..');
const budgetFile = path.join(import.meta.dirname, 'call-budget.json');
const print = (line: string) => void process.stdout.write(`${line}\n`);
const isOurs = (url: string) => url.startsWith(`file://${root}/server/`) || url.startsWith(`file://${root}/shared/`);

const question = 'Tell me something about the tides, in two sentences please.';
const chat = { model: testModel, messages: [{ role: 'user', content: question }] };
const claude = { model: 'claude-sonnet-4-5', max_tokens: 500, messages: [{ role: 'user', content: question }] };
/** A token limit and a monthly budget, too large to be reached. */
const limits = storedLimits({
  rate_limits: (['requests', 'tokens'] as const).map((meter) => ({ meter, per: 'minute', amount: 1e12 })),
  budgets: [{ id: 'b1', amount: 1e12, period: 'month', starts: 'calendar', at_end: 'stop' }],
});
/** What the call is, where it goes, which channels serve it, and what its token has. */
const plainCalls: Record<string, { path: string; body: object; channel?: object; token?: TokenFields }> = {
  json: { path: '/v1/chat/completions', body: chat },
  'limited json': { path: '/v1/chat/completions', body: chat, token: limits },
  stream: { path: '/v1/chat/completions', body: { ...chat, stream: true } },
  claude: { path: '/v1/messages', body: claude, channel: { type: 14, models: claude.model } },
  responses: { path: '/v1/responses', body: { model: testModel, input: question, store: false } },
  gemini: {
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: question }] }] },
    channel: { type: 24, models: 'gemini-2.5-flash' },
  },
  'chat to claude': { path: '/v1/chat/completions', body: { ...chat, model: claude.model }, channel: { type: 14, models: claude.model } },
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const measured: Record<string, Figures> = {};
for (const [name, { path: address, body, channel, token }] of Object.entries(plainCalls)) {
  await using scene = await createScene(embeddedEngine, channel === undefined ? {} : { channels: [channel] });
  const { key } = token === undefined ? scene : await scene.addToken(token);
  measured[name] = await measure(scene, { address, body: JSON.stringify(body), headers: { authorization: `Bearer ${key}` } });
}
session.disconnect();

if (process.argv.includes('--write')) writeFileSync(budgetFile, `${JSON.stringify(measured, null, 2)}\n`);
const budget = JSON.parse(readFileSync(budgetFile, 'utf8')) as Record<string, Figures>;
const above = Object.entries(measured).flatMap(([name, figures]) => compare(name, figures, budget[name]));
for (const line of above) print(line);
process.exit(above.length > 0 ? 1 : 0);

function compare(name: string, figures: Figures, most: Figures | undefined): string[] {
  const parts = Object.entries(figures).map(([kind, value]) => `${kind} ${value}`);
  print(`${name.padEnd(16)} ${parts.join(', ')}`);
  return (Object.keys(figures) as (keyof Figures)[])
    .filter((kind) => figures[kind] > (most?.[kind] ?? 0) * slack[kind])
    .map((kind) => `A plain call (${name}) takes ${figures[kind]} ${kind}, its budget is ${most?.[kind]}`);
}

interface Repeated {
  address: string;
  body: string;
  headers: Record<string, string>;
}

async function measure(scene: RelayScene, { address, body, headers }: Repeated): Promise<Figures> {
  await repeat(warmUps);

  // First: counting calls throws optimized code away, and code that is not optimized allocates more (iterators, closures that inlining removes).
  const kilobytes = await leastAllocations(false);
  const retained = await leastAllocations(true);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await repeat(counted);

  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  // A function that one call in many runs, as of a timer, is none of the call's.
  const run = result
    .filter(({ url }) => isOurs(url))
    .map(({ functions }) => functions.map(({ ranges }) => ranges[0]?.count ?? 0).filter((count) => count >= counted))
    .filter((counts) => counts.length > 0);

  return {
    calls: Math.round(run.flat().reduce((sum, count) => sum + count, 0) / counted),
    functions: run.flat().length,
    files: run.length,
    kilobytes,
    retained,
  };

  /** The least of some counts: a collection or a compilation in between only adds to one. */
  async function leastAllocations(isRetained: boolean): Promise<number> {
    let least = Infinity;
    for (let count = 0; count < repetitions; count += 1) least = Math.min(least, await allocations(isRetained));
    return least;
  }

  async function allocations(isRetained: boolean): Promise<number> {
    await session.post('HeapProfiler.startSampling', {
      // Some 15,000 samples: the figure varies by less than one percent.
      samplingInterval: 2048,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: !isRetained,
    });
    await repeat(allocated);
    // What survives the second one is in the old generation.
    if (isRetained) for (let time = 0; time < 2; time += 1) collect({ type: 'minor' });

    const { profile } = await session.post('HeapProfiler.stopSampling');
    return Math.round(bytesOf(profile.head, false) / allocated / 100) / 10;
  }

  async function repeat(times: number): Promise<void> {
    for (let made = 0; made < times; made += 1) {
      const response = await scene.post(address, body, headers);
      if (response.status !== 200) throw new Error(`${address} answers ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
    }
  }
}

/** Of what Node and V8 allocate, that which a function of ours has called for. */
function bytesOf({ selfSize, callFrame, children }: HeapProfiler.SamplingHeapProfileNode, isWithin: boolean): number {
  const isCounted = isOurs(callFrame.url) || (isWithin && !callFrame.url.startsWith('file://'));
  return children.reduce((sum, child) => sum + bytesOf(child, isCounted), isCounted ? selfSize : 0);
}
