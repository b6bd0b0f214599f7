// Providers whose files and batches are OpenAI's but for some of it, before those of OpenAI: each takes what its vendor documents, and nothing else.
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FakeBatches, startFakeBatches } from './fake-batches.ts';
import { formOf } from './sent-form.ts';
import { readAll } from './upstream-exchange.ts';

interface Account {
  path: string;
  key: string;
  isKeyed(headers: IncomingHttpHeaders): boolean;
  /** Of requests, and of their batch. */
  endpoint: string;
  /** Seconds; missing: it takes no such field. */
  lifetimes?: { least: number; most: number };
  /** What the model `gpt-4o-mini.1` has to be called; missing: as it is. */
  model?: string;
  /** Times are milliseconds. */
  reportsMilliseconds?: true;
  /** Batches are Mistral's jobs. */
  hasJobs?: true;
}

const bearer = ({ authorization }: IncomingHttpHeaders) => authorization === 'Bearer sk-theirs';

export const accounts: Readonly<Record<number, Account>> = {
  // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch
  3: {
    path: '/openai/v1',
    key: 'sk-theirs',
    isKeyed: (headers) => headers['api-key'] === 'sk-theirs' && headers.authorization === undefined,
    endpoint: '/chat/completions',
    lifetimes: { least: 1_209_600, most: 2_592_000 },
    model: 'gpt-4o-mini1',
  },
  // https://help.aliyun.com/zh/model-studio/batch-interfaces-compatible-with-openai
  17: { path: '/compatible-mode/v1', key: 'sk-theirs', isKeyed: bearer, endpoint: '/v1/chat/completions' },
  // https://docs.bigmodel.cn/api-reference
  16: { path: '/api/paas/v4', key: 'id1.secret1', isKeyed: isSigned, endpoint: '/v4/chat/completions', reportsMilliseconds: true },
  26: { path: '/api/paas/v4', key: 'id1.secret1', isKeyed: isSigned, endpoint: '/v4/chat/completions', reportsMilliseconds: true },
  // https://docs.mistral.ai/api/endpoint/batch
  42: { path: '/v1', key: 'sk-theirs', isKeyed: bearer, endpoint: '/v1/chat/completions', hasJobs: true },
  // https://platform.kimi.ai/docs/api/batch-create
  25: { path: '/v1', key: 'sk-theirs', isKeyed: bearer, endpoint: '/v1/chat/completions' },
};

/** https://docs.bigmodel.cn/cn/guide/start/quick-start */
function isSigned({ authorization = '' }: IncomingHttpHeaders): boolean {
  const [head = '', claims = '', signature = ''] = authorization.split('.');
  return signature === createHmac('sha256', 'secret1').update(`${head}.${claims}`).digest('base64url');
}

export interface FakeAccount extends FakeBatches {
  /** The files that were put there, as they came. */
  readonly taken: string[];
}

export async function startFakeAccount(type: number, upstreamUrl: string): Promise<FakeAccount> {
  const account = accounts[type];
  if (account === undefined) throw new Error(`It is not known how files of type ${type} are asked for`);
  const openai = await startFakeBatches(upstreamUrl);
  const taken: string[] = [];
  const server = createServer((incoming, response) => {
    serve({ account, openai, taken }, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...openai,
    taken,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel: { type, key: account.key },
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await openai.close();
    },
  };
}

interface Standing {
  account: Account;
  openai: FakeBatches;
  taken: string[];
}

class Refusal extends Error {}

async function serve({ account, openai, taken }: Standing, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readAll(incoming);
  const answer = (status: number, value: object) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const { method = 'GET', url = '', headers } = incoming;
  if (!account.isKeyed(headers)) return answer(401, { error: { message: 'Authentication failed', code: '1000' } });
  const batches = account.hasJobs === true ? jobsPath : '/batches';
  if (!url.startsWith(`${account.path}/files`) && !url.startsWith(account.path + batches)) return answer(404, { error: { message: url } });
  const requested = url.slice(account.path.length);
  const path = requested.replace(jobsPath, '/batches').replace(/\?page=\d+&page_size=\d+$/, '');
  try {
    const sent = await asOpenAI({ account, taken, path, method }, incoming, body);
    const reported = await fetch(`${openai.url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${openai.channel.key}`,
        ...(typeof sent === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      ...(sent === null ? {} : { body: sent }),
    });
    const text = await reported.text();
    const inTheirs =
      account.reportsMilliseconds === true
        ? text.replace('"created_at":2000000000', '"created_at":2000000000000')
        : account.hasJobs === true && path.startsWith('/batches') && reported.ok
          ? jobsIn(text)
          : text;
    response.writeHead(reported.status, { 'content-type': reported.headers.get('content-type') ?? '' }).end(inTheirs);
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure;
    answer(400, { error: { message: failure.message, code: '1210' } });
  }
}

interface Requested extends Omit<Standing, 'openai'> {
  path: string;
  method: string;
}

async function asOpenAI(requested: Requested, incoming: IncomingMessage, body: Buffer): Promise<string | FormData | null> {
  const { account, path, method } = requested;
  if (method !== 'POST') return null;
  if (path === '/files') return asForm(requested, incoming, body);
  if (path !== '/batches') return body.length === 0 ? null : body.toString();
  if (account.hasJobs === true) return asBatch(body.toString());
  const { endpoint, output_expires_after: stored, ...others } = JSON.parse(body.toString());
  if (endpoint !== account.endpoint) throw new Refusal(`no endpoint ${endpoint}`);
  checkLifetime(account, stored?.seconds);
  return JSON.stringify({ ...others, endpoint: '/v1/chat/completions', output_expires_after: { anchor: 'created_at', seconds: 3600 } });
}

async function asForm({ account, taken }: Requested, incoming: IncomingMessage, body: Buffer): Promise<FormData> {
  const form = await formOf(incoming, body);
  const { purpose, 'expires_after[anchor]': anchor, 'expires_after[seconds]': seconds, ...others } = form?.texts ?? {};
  const [file] = form?.files ?? [];
  if (purpose !== 'batch' || file === undefined || !file.filename.endsWith('.jsonl')) throw new Refusal('no file of requests');
  if (Object.keys(others).length > 0 || (anchor === undefined) !== (seconds === undefined)) throw new Refusal('not such a form');
  checkLifetime(account, seconds === undefined ? undefined : Number(seconds));
  const text = file.bytes.toString();
  taken.push(text);
  const reported = new FormData();
  reported.append('purpose', 'batch');
  reported.append('expires_after[anchor]', 'created_at');
  reported.append('expires_after[seconds]', String(seconds ?? 3600));
  reported.append('file', new File([asLines(text, account)], file.filename));
  return reported;
}

/** Callers also upload files in other formats: those are only stored. */
function asLines(text: string, { endpoint, model, hasJobs }: Account): string {
  if (hasJobs === true) return withModels(text);
  const own = `"url":${JSON.stringify(endpoint)}`;
  const lines = text.replaceAll(own, '"url":"/v1/chat/completions"');
  return model === undefined ? lines : lines.replaceAll(JSON.stringify(model), '"gpt-4o-mini.1"');
}

function checkLifetime({ lifetimes }: Account, seconds: number | undefined): void {
  if (lifetimes === undefined && seconds !== undefined) throw new Refusal('expires_after is not known');
  if (lifetimes === undefined) return;
  if (seconds === undefined || seconds < lifetimes.least || seconds > lifetimes.most) throw new Refusal(`expires_after ${seconds}`);
}

const jobsPath = '/batch/jobs';
const jobStatuses: Readonly<Record<string, string>> = {
  validating: 'QUEUED',
  in_progress: 'RUNNING',
  completed: 'SUCCESS',
  failed: 'FAILED',
  expired: 'TIMEOUT_EXCEEDED',
  cancelling: 'CANCELLATION_REQUESTED',
  cancelled: 'CANCELLED',
};

/** What a job is created by, as a batch. */
function asBatch(text: string): string {
  const { input_files: files, endpoint, model, timeout_hours: hours, ...others } = JSON.parse(text);
  if (Object.keys(others).length > 0) throw new Refusal(`extra fields ${Object.keys(others).join()}`);
  if (!Array.isArray(files) || files.length !== 1) throw new Refusal('no file of requests');
  if (endpoint !== '/v1/chat/completions' || model !== 'gpt-4o-mini.1' || hours !== 24) throw new Refusal('not such a job');
  const stored = { anchor: 'created_at', seconds: 3600 };
  return JSON.stringify({ input_file_id: files[0], endpoint, completion_window: '24h', output_expires_after: stored });
}

/** A batch, or a page of them, as jobs. */
function jobsIn(text: string): string {
  const reported = JSON.parse(text);
  return JSON.stringify(
    Array.isArray(reported.data) ? { object: 'list', total: reported.data.length, data: reported.data.map(jobOf) } : jobOf(reported),
  );
}

function jobOf(batch: Record<string, never>): object {
  const { id, input_file_id: input, endpoint, status, output_file_id: output, error_file_id: error, created_at } = batch;
  const { total, completed, failed } = batch['request_counts'] ?? { total: 0, completed: 0, failed: 0 };
  return {
    id,
    object: 'batch',
    input_files: [input],
    metadata: {},
    endpoint,
    model: 'gpt-4o-mini.1',
    agent_id: null,
    output_file: output,
    error_file: error,
    errors: [],
    status: jobStatuses[status ?? ''],
    created_at,
    total_requests: total,
    completed_requests: completed + failed,
    succeeded_requests: completed,
    failed_requests: failed,
    started_at: null,
    completed_at: null,
  };
}

/** Requests of a job contain no model: the job does. Those of a caller's own file are only stored. */
function withModels(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines
    .map((line) => {
      const { custom_id, body, ...others } = JSON.parse(line);
      if (Object.keys(others).length > 0 || body.model !== undefined) return line;
      return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body: { ...body, model: 'gpt-4o-mini.1' } });
    })
    .join('\n');
}
