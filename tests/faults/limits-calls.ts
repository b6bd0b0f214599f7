// Calls of every kind on keys with limits and budgets. Each either succeeds, is refused by a limit, or is cut off by a kill.
import { setTimeout as sleep } from 'node:timers/promises';
import { batchModel, chatModels, narrowModel, spokenModel, videoModel } from '#tests/faults/limits-scene.ts';
import { callsOfEveryClient } from '#tests/support/client-calls.ts';
import { connectSocket, RefusedSocket } from '#tests/support/socket-client.ts';

export interface Caller {
  key: string;
  /** Of the process for the next request. */
  origin(): string | undefined;
}

export interface Tally {
  /** Calls by kind that succeeded, that a budget or a limit refused, and that were cut off. */
  succeeded: Record<string, number>;
  refused: Record<string, number>;
  cut: number;
  problems: string[];
}

type Outcome = 'succeeded' | 'refused' | 'cut';

/** Codes of budgets and rate limits in every format, and what servers say that begin or end. */
const refusals =
  /budget|billing_error|FAILED_PRECONDITION|rate_limit|parallel_limit|RESOURCE_EXHAUSTED|shutting_down|database_unavailable|tasks_in_progress|too_many_sockets/;
const longest = 10;
const pauseMs = 50;
const prompt = 'When is high water in Brest?';

interface Kind {
  name: string;
  call(caller: Caller, tally: Tally, index: number): Promise<Outcome>;
}

/** Fields that bound the answer, by format. */
const bounds: Record<string, object> = {
  'openai-chat': { max_tokens: longest },
  'openai-completions': { max_tokens: longest },
  'openai-responses': { max_output_tokens: longest },
  claude: { max_tokens: longest },
  gemini: { generationConfig: { maxOutputTokens: longest } },
  'gemini-interactions': { generation_config: { max_output_tokens: longest } },
};

function formatKinds(isStream: boolean, modelOf: (index: number) => string): Kind[] {
  return callsOfEveryClient('m', prompt, isStream).map(({ client }, at) => ({
    name: `${client}${isStream ? ' stream' : ''}`,
    async call(caller, tally, index) {
      const { path, body } = callsOfEveryClient(modelOf(index), prompt, isStream)[at] ?? raise();
      const { status, text } = await post(caller, path, { ...body, ...bounds[client] });
      return judge(tally, `${client} ${path}`, status, text);
    },
  }));
}

const anyChat = (index: number) => chatModels[index % chatModels.length] ?? chatModels[0];

/** By turns. */
export const mixedKinds: readonly Kind[] = [
  { name: 'realtime turn', call: realtimeTurn },
  { name: 'batch', call: batch },
  { name: 'video', call: video },
  ...formatKinds(false, anyChat),
  ...formatKinds(true, anyChat),
  { name: 'socket turn', call: (caller, tally, index) => socketTurn(caller, tally, anyChat(index)) },
  { name: 'background', call: (caller, tally, index) => background(caller, tally, anyChat(index)) },
];

/** Kinds that run at the provider that counts. */
export const narrowKinds: readonly Kind[] = [
  ...formatKinds(false, () => narrowModel),
  ...formatKinds(true, () => narrowModel),
  { name: 'socket turn', call: (caller, tally) => socketTurn(caller, tally, narrowModel) },
  { name: 'background', call: (caller, tally) => background(caller, tally, narrowModel) },
];

/** @param tries of calls that are refused because others run */
export async function callOne(kinds: readonly Kind[], caller: Caller, tally: Tally, index: number, tries = 1): Promise<void> {
  const kind = kinds[index % kinds.length];
  if (kind === undefined) return;
  for (let left = tries; left > 0; left -= 1) {
    while (caller.origin() === undefined) await sleep(pauseMs);
    const outcome = await kind.call(caller, tally, index).catch((failure: unknown) => outcomeOf(tally, kind.name + 'session', failure));
    if (outcome === 'cut') tally.cut += 1;
    else tally[outcome][kind.name] = (tally[outcome][kind.name] ?? 0) + 1;
    if (outcome === 'succeeded') return;
    await sleep(20 + Math.random() * 80);
  }
}

/** Of a call that threw: a socket that was refused, or a connection that broke. */
function outcomeOf(tally: Tally, name: string, failure: unknown): Outcome {
  return failure instanceof RefusedSocket ? judge(tally, name, failure.status, JSON.stringify(failure.body)) : 'cut';
}

function judge(tally: Tally, what: string, status: number, text: string): Outcome {
  if (status === 200 && !/"error":\s*\{|event: error/.test(text)) return 'succeeded';
  if (refusals.test(text)) return 'refused';
  // Providers of tests are slow and end idle connections on a busy machine.
  if (status === 502 || status === 504) return 'cut';
  tally.problems.push(`${what} returned ${status}: ${text.slice(0, 300)}`);
  return 'refused';
}

/** @throws {Error} when the connection breaks */
async function post({ key, origin }: Caller, path: string, body: object | FormData): Promise<{ status: number; text: string }> {
  const server = origin();
  if (server === undefined) throw new Error('No process runs');
  const isForm = body instanceof FormData;
  const headers = { authorization: `Bearer ${key}`, 'x-goog-api-key': key, ...(isForm ? {} : { 'content-type': 'application/json' }) };
  const response = await fetch(server + path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function socketTurn({ key, origin }: Caller, tally: Tally, model: string): Promise<Outcome> {
  const server = origin() ?? raise();
  using client = await connectSocket(`${server}/v1/responses`, { headers: { authorization: `Bearer ${key}` } });
  client.send({ type: 'response.create', model, input: prompt, max_output_tokens: longest, store: false });
  const last = (await client.response()).at(-1) ?? {};
  return judge(tally, 'a turn', last['type'] === 'error' ? 0 : 200, last['type'] === 'error' ? JSON.stringify(last) : '');
}

async function background(caller: Caller, tally: Tally, model: string): Promise<Outcome> {
  const { status, text } = await post(caller, '/v1/responses', { model, input: prompt, max_output_tokens: longest, background: true });
  const outcome = judge(tally, 'a background response', status, text.replaceAll(/"error":\s*null/g, ''));
  if (outcome !== 'succeeded') return outcome;
  const { id } = JSON.parse(text);
  for (let looks = 0; looks < 40; looks += 1) {
    await sleep(50);
    const read = await fetch(`${caller.origin()}/v1/responses/${id}`, { headers: { authorization: `Bearer ${caller.key}` } });
    const { status: state } = JSON.parse(await read.text());
    if (state !== 'queued' && state !== 'in_progress') return state === 'completed' ? 'succeeded' : 'cut';
  }
  return 'cut';
}

async function realtimeTurn({ key, origin }: Caller, tally: Tally): Promise<Outcome> {
  const server = origin() ?? raise();
  const headers = { authorization: `Bearer ${key}` };
  using client = await connectSocket(`${server}/v1/realtime?model=${spokenModel}`, { headers });
  const started = await client.next();
  if (started['type'] === 'error') return judge(tally, 'a session', 0, JSON.stringify(started));
  client.send({ type: 'response.create', response: { max_output_tokens: longest } });
  for (;;) {
    const event = await client.next();
    if (event['type'] === 'error') return judge(tally, 'a spoken turn', 0, JSON.stringify(event));
    if (event['type'] === 'response.done') return 'succeeded';
  }
}

async function batch(caller: Caller, tally: Tally): Promise<Outcome> {
  const body = { model: batchModel, messages: [{ role: 'user', content: prompt }], max_tokens: longest };
  const line = (id: string) => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body });
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([`${line('a')}\n${line('b')}`]), 'in.jsonl');
  const file = await post(caller, '/v1/files', form);
  if (file.status !== 200) return judge(tally, 'a file', file.status, file.text);
  const { id } = JSON.parse(file.text);
  const created = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' };
  const { status, text } = await post(caller, '/v1/batches', created);
  return judge(tally, 'a batch', status, text);
}

async function video(caller: Caller, tally: Tally): Promise<Outcome> {
  const body = { model: videoModel, prompt, seconds: '4', size: '1280x720' };
  const { status, text } = await post(caller, '/v1/videos', body);
  return judge(tally, 'a video', status, text.replaceAll(/"error":\s*null/g, ''));
}

function raise(): never {
  throw new Error('No process runs');
}
