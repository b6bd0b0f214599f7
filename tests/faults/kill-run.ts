// Server processes are killed at random moments under load, started again and audited: whatever was answered is billed,
// once and as it was answered, and no unit is lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningContext } from '#server/create-context.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import { leasedOf } from '#server/money/account.ts';
import { ConversationLoad } from '#tests/faults/kill-conversations.ts';
import type { AnsweredCall } from '#tests/faults/kill-conversations.ts';
import { KeptLoad } from '#tests/faults/kill-kept.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createSession, createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { createClient } from '#tests/support/http-client.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer } from '#tests/support/server-process.ts';
import type { ServerProcess } from '#tests/support/server-process.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';

export interface KillRunOptions {
  kills: number;
  /** URL of a MongoDB server; undefined: a file of its own. */
  mongo?: string | undefined;
  /** Server processes on the one database. */
  processes: number;
  /** Callers that always have one call under way. */
  callers: number;
  /** Told of every kill. */
  onKill?: (line: string) => void;
}

export interface KillRunReport {
  kills: number;
  /** Calls that the callers got whole answers to, and of those streams. */
  answered: number;
  streams: number;
  /** Of those that were answered: turns of sockets. */
  turns: number;
  /** And responses that went on without their callers. */
  background: number;
  /** And turns that went on from one of before, and calls whose conversation was summarized on the way. */
  goneOn: number;
  shortened: number;
  /** Calls that were cut by a kill. */
  cut: number;
  /** Rows of calls whose answer did not arrive although they were settled. */
  settledUnheard: number;
  /** Quota edits that were confirmed. */
  edits: number;
  /** What is wrong; empty when nothing is. */
  problems: string[];
}

const models = ['quick', 'paced'] as const;
/** Of a channel that speaks another format than any caller does. */
const geminiModel = 'gemini-2.5-flash';
const shortestLifeMs = 50;
const longestLifeMs = 1_200;
const startQuota = 2_000_000;

export async function runKills(options: KillRunOptions): Promise<KillRunReport> {
  const scratch = await createScratch(options.mongo);
  const { url } = scratch;
  const upstream = await startFakeUpstream();
  upstream.behave({ text: 'one two three four five' }, { model: 'quick' });
  const slowly = { text: 'one two three four five six seven eight', chunkDelay: 15, firstByteDelay: 20 };
  upstream.behave(slowly, { model: 'paced' });
  upstream.behave(slowly, { model: geminiModel });
  const report: KillRunReport = {
    kills: 0,
    answered: 0,
    streams: 0,
    turns: 0,
    background: 0,
    goneOn: 0,
    shortened: 0,
    cut: 0,
    settledUnheard: 0,
    edits: 0,
    problems: [],
  };
  const answers: AnsweredCall[] = [];
  const kept = new KeptLoad(report.problems);
  const conversations = new ConversationLoad(report.problems);
  const seeded = await scratch.withContext((context) => seed(context, upstream.url));
  const env = { DATABASE_URL: url };
  const servers: (ServerProcess | null)[] = await Promise.all(Array.from({ length: options.processes }, () => startServer(env)));
  let isRunning = true;

  async function ask(caller: number, turn: number): Promise<void> {
    const server = servers[(caller + turn) % servers.length];
    if (server === null || server === undefined) {
      await sleep(20);
      return;
    }
    const isStream = (caller + turn) % 3 === 0;
    const model = models[turn % models.length];
    const response = await fetch(`${server.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${seeded.keys[caller % seeded.keys.length]}` },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `Call ${caller} ${turn}` }],
        max_tokens: 50,
        ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
      }),
    });
    const text = await response.text();
    const requestId = response.headers.get('x-oneapi-request-id') ?? '';
    if (response.status !== 200) {
      // Accounts run dry, and a server that is starting or was cut off says so; nothing else may go wrong.
      if (!/quota|key_exhausted|database_unavailable/.test(text)) report.problems.push(`call answered ${response.status}: ${text}`);
      return;
    }
    if (isStream && !text.includes('data: [DONE]')) return void (report.cut += 1);
    answers.push({ requestId, ...usageOf(text) });
    report.answered += 1;
    if (isStream) report.streams += 1;
  }

  async function call(caller: number): Promise<void> {
    for (let turn = 0; isRunning; turn += 1) {
      try {
        await ask(caller, turn);
      } catch {
        report.cut += 1;
        await sleep(20);
      }
    }
  }

  /** One connection until it breaks, with many calls on it. */
  async function askBySocket(caller: number, server: ServerProcess): Promise<void> {
    const headers = { authorization: `Bearer ${seeded.keys[caller % seeded.keys.length]}` };
    using client = await connectSocket(`${server.origin}/v1/responses`, { headers });
    for (let turn = 0; isRunning; turn += 1) {
      // What is not kept has the id of its call.
      const asked = { model: models[turn % models.length], input: `Call ${caller} ${turn}`, max_output_tokens: 50, store: turn % 3 === 2 };
      client.send({ type: 'response.create', ...asked });
      const last = (await client.response()).at(-1) ?? {};
      if (last['type'] === 'error') {
        if (!/quota|key_exhausted|database_unavailable/.test(JSON.stringify(last)))
          report.problems.push(`turn answered ${JSON.stringify(last)}`);
        continue;
      }
      const { id, usage } = last['response'];
      report.turns += 1;
      if (asked.store) {
        kept.told(id);
        continue;
      }
      answers.push({ requestId: id.slice('resp_'.length), promptTokens: usage.input_tokens, completionTokens: usage.output_tokens });
      report.answered += 1;
    }
  }

  async function callBySocket(caller: number): Promise<void> {
    for (let turn = 0; isRunning; turn += 1) {
      const server = servers[(caller + turn) % servers.length];
      try {
        if (server === null || server === undefined) await sleep(20);
        else await askBySocket(caller, server);
      } catch {
        report.cut += 1;
        await sleep(20);
      }
    }
  }

  async function callInBackground(caller: number): Promise<void> {
    const current = () => servers.find((server) => server !== null);
    for (let turn = 0; isRunning; turn += 1) {
      const server = servers[(caller + turn) % servers.length];
      if (server === null || server === undefined) {
        await sleep(20);
        continue;
      }
      const key = seeded.keys[caller % seeded.keys.length] ?? '';
      const model = [...models, geminiModel][turn % 3] ?? '';
      const asked = { server, key, model, input: `Call ${caller} ${turn}` };
      const ended = await kept.ask(asked, current).catch(() => null);
      if (ended === null) {
        report.cut += 1;
        continue;
      }
      answers.push(ended);
      report.answered += 1;
      report.background += 1;
    }
  }

  async function converse(caller: number): Promise<void> {
    for (let turn = 0; isRunning; turn += 1) {
      const server = servers[(caller + turn) % servers.length];
      const asked = { key: seeded.keys[caller % seeded.keys.length] ?? '', model: models[turn % models.length] ?? '', caller, turn };
      const speak = turn % 2 === 0 ? conversations.thread : conversations.shortened;
      const answered = server == null ? null : await speak.call(conversations, { ...asked, server }).catch(() => null);
      if (answered === null) {
        report.cut += 1;
        await sleep(20);
        continue;
      }
      answers.push(answered);
      report.answered += 1;
      Object.assign(report, conversations.figures);
    }
  }

  const loads = [call, converse, callInBackground, callBySocket];

  async function edit(): Promise<void> {
    for (let turn = 0; isRunning; turn += 1) {
      const server = servers[turn % servers.length];
      await sleep(30);
      if (server === null || server === undefined) continue;
      const admin = createClient(server.origin);
      admin.setCookie(seeded.adminCookie);
      admin.setUser(seeded.adminId);
      const id = seeded.userIds[turn % seeded.userIds.length];
      const answer = await admin.put('/api/user/', { id, quota_change: turn % 4 === 3 ? -900 : 1000 }).catch(() => null);
      if (answer?.success === true) report.edits += 1;
    }
  }

  const load = [...Array.from({ length: options.callers }, (_, caller) => loads[caller % loads.length]?.(caller)), edit()];
  // There must be something to lose, however slow the machine is.
  await until(
    () =>
      report.answered > 20 && report.streams > 0 && report.turns > 0 && report.background > 0 && report.goneOn > 0 && report.shortened > 0,
    60_000,
  );
  for (let kill = 0; kill < options.kills; kill += 1) {
    await sleep(shortestLifeMs + Math.random() * (longestLifeMs - shortestLifeMs));
    // Now and then all at once, as when a machine goes down.
    const victims = Math.random() < 0.3 ? [...servers.keys()] : [kill % servers.length];
    await Promise.all(victims.map((victim) => servers[victim]?.kill('SIGKILL')));
    for (const victim of victims) servers[victim] = null;
    report.kills += 1;
    // Audits meet the database as the dead left it, and while their successors are starting.
    const [audited] = await Promise.all([
      runAudit(url),
      ...victims.map(async (victim) => {
        if (kill % 2 === 0) await sleep(Math.random() * 300);
        servers[victim] = await startServer(env);
      }),
    ]);
    options.onKill?.(`kill ${kill + 1} of ${victims.length}: ${report.answered} answered, audit ${audited.code}`);
    if (audited.code !== 0) report.problems.push(`the audit after kill ${kill + 1} ended with ${audited.code}: ${audited.output}`);
  }
  isRunning = false;
  await Promise.all(load);
  for (const server of servers) {
    const code = await server?.kill('SIGTERM');
    if (code !== 0) report.problems.push(`a server that was told to end ended with ${code}: ${server?.output()}`);
  }
  const audited = await runAudit(url);
  if (audited.code !== 0) report.problems.push(`the last audit ended with ${audited.code}: ${audited.output}`);
  await scratch.withContext((context) => reconcile(context, { answers, kept, conversations, report }));
  await upstream.close();
  await scratch.remove();
  return report;
}

/** Users with keys of every kind: unlimited, limited, and one that runs dry and is filled up again. */
async function seed(context: RunningContext, upstream: string) {
  const { db, ledger } = context;
  const ratios = { ...context.settings.get('ModelRatio'), quick: 1, paced: 7.5, [geminiModel]: 2 };
  await db.collection('options').insert({ id: 'ModelRatio', value: JSON.stringify(ratios), revision: 1, updated_at: 0, updated_by: 0 });
  // What is killed keeps its place for a minute.
  await db.collection('options').insert({ id: 'BackgroundResponsesPerUser', value: '100', revision: 1, updated_at: 0, updated_by: 0 });
  for (let index = 0; index < 2; index += 1) {
    const id = await db.nextId('channels');
    await db.collection('channels').insert(buildChannel({ id, models: models.join(','), base_url: upstream }, context.secrets));
  }
  const id = await db.nextId('channels');
  await db.collection('channels').insert(buildChannel({ id, type: 24, models: geminiModel, base_url: upstream }, context.secrets));
  const admin = await buildUser(context, { username: 'admin', role: 100 });
  await db.collection('users').insert(admin);
  const keys: string[] = [];
  const userIds: number[] = [];
  for (const quota of [startQuota * 10, startQuota, 3_000]) {
    const user = await buildUser(context);
    await db.collection('users').insert(user);
    await ledger.change({ account: 'user', id: user.id, amount: quota, kind: 'test', ref: `test:${user.id}`, actorId: 0 });
    userIds.push(user.id);
    for (const fields of [{}, { quota: startQuota }, { quota: 5_000 }]) keys.push((await createToken(context, user.id, fields)).key);
  }
  return { keys, userIds, adminId: admin.id, adminCookie: await createSession(context, admin) };
}

interface SeenRun {
  answers: readonly AnsweredCall[];
  kept: KeptLoad;
  conversations: ConversationLoad;
  report: KillRunReport;
}

/** Compares what callers saw with what was billed, and adds everything up. */
async function reconcile(context: RunningContext, { answers, kept, conversations, report }: SeenRun): Promise<void> {
  const { db } = context;
  const rows = new Map<string, LogRecord[]>();
  for await (const row of db.collection('logs').each({ process: { exists: true } })) {
    const known = rows.get(row.request_id ?? '');
    if (known === undefined) rows.set(row.request_id ?? '', [row]);
    else known.push(row);
  }
  for (const [requestId, { length }] of rows) if (length > 1) report.problems.push(`the call ${requestId} has ${length} rows`);
  await kept.check(context, rows);
  conversations.check([...rows.values()].flat());
  for (const { requestId, promptTokens, completionTokens } of answers) {
    const billed = rows.get(requestId) ?? [];
    const [row] = billed;
    if (row === undefined || billed.length !== 1) report.problems.push(`the answered call ${requestId} has ${billed.length} rows`);
    else if (row.prompt_tokens !== promptTokens || row.completion_tokens !== completionTokens || row.quota <= 0) {
      report.problems.push(
        `the call ${requestId} used ${promptTokens} + ${completionTokens} and was billed ${row.prompt_tokens} + ${row.completion_tokens} for ${row.quota}`,
      );
    }
    rows.delete(requestId);
  }
  report.settledUnheard = [...rows.values()].flat().filter((row) => row.quota > 0).length;
  for (const kind of ['users', 'tokens'] as const) {
    for await (const record of db.collection(kind).each({})) {
      if (leasedOf(record) !== 0) report.problems.push(`${kind} ${record.id} still has leases: ${JSON.stringify(record.leases)}`);
    }
  }
  const confirmed = await db.collection('ledger').count({ kind: 'edit', state: 'done' });
  if (confirmed < report.edits) report.problems.push(`${report.edits} quota edits were confirmed and ${confirmed} are in the books`);
  const open = await db.collection('ledger').count({ state: 'open' });
  if (open > 0) report.problems.push(`${open} ledger entries are still open`);
}

function usageOf(text: string): { promptTokens: number; completionTokens: number } {
  const usage = /"usage":\s*(\{[^}]*\}?)/g;
  const last = [...text.matchAll(usage)].at(-1)?.[1] ?? '';
  const number = (name: string) => Number(new RegExp(`"${name}":\\s*(\\d+)`).exec(last)?.[1] ?? Number.NaN);
  return { promptTokens: number('prompt_tokens'), completionTokens: number('completion_tokens') };
}
