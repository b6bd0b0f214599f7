// All workers of a server are replaced while streams are open and calls come in: every caller gets a whole response, and each call is charged once.
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { leasedOf } from '#server/money/account.ts';
import { buildChannel } from '#tests/support/build-channel.ts';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { startFakeUpstream } from '#tests/support/fake-upstream.ts';
import { freePort } from '#tests/support/free-port.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { runAudit, startServer, workersOf } from '#tests/support/server-process.ts';
import { until } from '#tests/support/until.ts';

export interface RestartRunOptions {
  /** URL of a MongoDB server; undefined: a file of its own. */
  mongo?: string | undefined;
  workers: number;
  restarts: number;
  /** Open at each restart. */
  streams: number;
  callsPerSecond: number;
  /** Seconds that a stream takes. */
  streamSeconds: number;
}

export interface RestartRunReport {
  calls: number;
  streams: number;
  /** Milliseconds from the signal until all workers were new, of each restart. */
  restartMs: number[];
  /** Slowest call in milliseconds. */
  slowestMs: number;
  /** What is wrong; empty when nothing is. */
  problems: string[];
}

interface Answer {
  status: number;
  text: string;
  requestId: string;
}

const [fast, slow] = ['gpt-4o-mini', 'gpt-4o'];
const connections = 64;
const chunks = 20;
const tickMs = 20;
/** Beyond it the machine is too slow for the rate, and calls would pile up. */
const mostUnderWay = 256;

export async function runRestarts(options: RestartRunOptions): Promise<RestartRunReport> {
  const report: RestartRunReport = { calls: 0, streams: 0, restartMs: [], slowestMs: 0, problems: [] };
  const { problems } = report;
  const scratch = await createScratch(options.mongo);
  const upstream = await startFakeUpstream();
  upstream.behave({ text: 'short and whole' }, { model: fast });
  const words = Array.from({ length: chunks }, (_, index) => `w${index}`).join(' ');
  upstream.behave({ text: words, chunkDelay: (options.streamSeconds * 1000) / chunks }, { model: slow });
  const key = await scratch.withContext(async (context) => {
    const user = await buildUser(context);
    await context.db.collection('users').insert(user);
    await context.ledger.change({ account: 'user', id: user.id, amount: 1_000_000_000_000, kind: 'test', ref: 'start', actorId: 0 });
    await context.db.collection('channels').insert(buildChannel({ models: `${fast},${slow}`, base_url: upstream.url }, context.secrets));
    return (await createToken(context, user.id)).key;
  });
  const server = await startServer({ DATABASE_URL: scratch.url, WORKERS: String(options.workers), PORT: String(await freePort()) });
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const streamAgent = new Agent({ keepAlive: true });
  const requestIds: string[] = [];

  const ask = (model: string, onHead?: () => void) =>
    post(`${server.origin}/v1/chat/completions`, {
      key,
      agent: onHead === undefined ? agent : streamAgent,
      body: { model, stream: onHead !== undefined, messages: [{ role: 'user', content: 'x' }] },
      onHead,
    });
  const note = (what: string, { status, text, requestId }: Answer, isWhole: boolean) => {
    requestIds.push(requestId);
    if (status !== 200 || !isWhole) problems.push(`${what} answered ${status}: ${text.slice(-200)}`);
  };
  const failed = (what: string) => (failure: unknown) => void problems.push(`${what} failed: ${String(failure)}`);

  let isRunning = true;
  const underWay = new Set<Promise<void>>();
  const callOnce = async () => {
    const startedAt = performance.now();
    const answer = await ask(fast);
    report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAt);
    note('a call', answer, answer.text.includes('short and whole'));
  };
  const load = async () => {
    const startedAt = performance.now();
    while (isRunning) {
      const due = ((performance.now() - startedAt) / 1000) * options.callsPerSecond;
      for (; report.calls < due && underWay.size < mostUnderWay; report.calls += 1) {
        const running: Promise<void> = callOnce()
          .catch(failed('a call'))
          .finally(() => underWay.delete(running));
        underWay.add(running);
      }
      await sleep(tickMs);
    }
    await Promise.all(underWay);
  };
  const openStreams = async () => {
    let heads = 0;
    const all = Array.from({ length: options.streams }, async () => {
      const answer = await ask(slow, () => void (heads += 1));
      note('a stream', answer, answer.text.trimEnd().endsWith('data: [DONE]') && answer.text.includes(`w${chunks - 1}`));
    });
    report.streams += options.streams;
    const ended = Promise.all(all.map((each) => each.catch(failed('a stream'))));
    await until(() => heads === options.streams || problems.length > 0);
    return ended;
  };

  try {
    await until(() => workersOf(server.pid).length === options.workers);
    const loading = load();
    for (let restart = 0; restart < options.restarts; restart += 1) {
      const former = workersOf(server.pid);
      const streams = await openStreams();
      const startedAt = performance.now();
      process.kill(server.pid, 'SIGHUP');
      await until(() => workersOf(server.pid).filter((pid) => !former.includes(pid)).length === options.workers, 120_000);
      report.restartMs.push(Math.round(performance.now() - startedAt));
      await streams;
      await until(() => !workersOf(server.pid).some((pid) => former.includes(pid)), 60_000);
    }
    isRunning = false;
    await loading;
    const code = await server.kill('SIGTERM');
    if (code !== 0) problems.push(`the server ended with ${code}: ${server.output()}`);
    const audited = await runAudit(scratch.url);
    if (audited.code !== 0) problems.push(`the audit ended with ${audited.code}: ${audited.output}`);
    const sent = upstream.requests.length;
    if (sent !== requestIds.length) problems.push(`${requestIds.length} responses, but ${sent} requests to the provider`);
    await scratch.withContext(async ({ db }) => {
      const rows = await db.collection('logs').find({ type: 2 });
      const known = new Set(rows.map(({ request_id }) => request_id));
      if (rows.length !== requestIds.length) problems.push(`${requestIds.length} responses, but ${rows.length} charges`);
      const lost = requestIds.filter((id) => !known.has(id));
      if (lost.length > 0) problems.push(`${lost.length} responses were not charged`);
      for await (const user of db.collection('users').each({})) {
        if (leasedOf(user) !== 0) problems.push(`user ${user.id} has ${leasedOf(user)} in leases that nobody holds`);
      }
    });
  } finally {
    agent.destroy();
    streamAgent.destroy();
    await server.kill('SIGKILL');
    await upstream.close();
    await scratch.remove();
  }
  return report;
}

interface Posted {
  key: string;
  agent: Agent;
  body: object;
  onHead: (() => void) | undefined;
}

/** @throws {Error} when the connection ends before the response does */
function post(url: string, { key, agent, body, onHead }: Posted): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const sent = request(url, { method: 'POST', agent, headers }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        onHead?.();
        onHead = undefined;
        text += chunk;
      });
      response.on('error', reject).on('aborted', () => reject(new Error('the response was cut off')));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, requestId: String(response.headers['x-oneapi-request-id']) }),
      );
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}
