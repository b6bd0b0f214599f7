// Predictions of Replicate in front of the fake upstream: accepts inputs strictly, returns results when polled, and streams at an address of its own.
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';
import { demand, hasOnly, type Json, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const key = 'r8_key';
export const drawing = 'black-forest-labs/flux-schnell';

export interface FakeReplicate extends ProviderFront, AsyncDisposable {
  /** Of predictions, in order: where they were created, and with what. */
  readonly taken: { path: string; body: Json }[];
  /** Paths of requests about them, in order. */
  readonly requested: string[];
  readonly cancelled: string[];
  /** How the next predictions go. */
  behave(predictions: PredictionBehaviour): void;
}

interface PredictionBehaviour {
  /** Questions, the first one among them, that are answered before it has ended. `Infinity`: it never does. */
  working?: number;
  /** Why it fails; missing: it does not. */
  error?: string;
  /** It has no stream. */
  isMute?: boolean;
  /** Where its stream is, instead of here. */
  streamAt?: string;
  /** Statuses that the first questions about it are answered with, whatever they are; streams too. */
  failing?: number[];
  /** Its output, instead of what the upstream writes. */
  output?: unknown;
}

interface Prediction {
  id: string;
  requested: Json;
  left: number;
}

interface State {
  upstreamUrl: string;
  taken: FakeReplicate['taken'];
  requested: string[];
  cancelled: string[];
  predictions: Map<string, Prediction>;
  behaviour: PredictionBehaviour;
}

export async function startFakeReplicate(upstreamUrl: string): Promise<FakeReplicate> {
  const state: State = { upstreamUrl, taken: [], requested: [], cancelled: [], predictions: new Map(), behaviour: {} };
  const front = await startFront(upstreamUrl, (request, url) => judge(request, state, url));
  const { taken, requested, cancelled } = state;
  const behave = (behaviour: PredictionBehaviour) => void (state.behaviour = behaviour);
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, requested, cancelled, behave, channel: { type: 56, key } };
}

async function judge(request: FrontedRequest, state: State, url: string): Promise<Judgement> {
  const { method, path, headers, body } = request;
  if (headers.authorization !== `Bearer ${key}`) return refused(401, 'You did not pass a valid authentication token');
  if (method === 'POST' && /^\/v1\/(models\/[\w.-]+\/[\w.-]+\/)?predictions$/.test(path)) {
    if (headers['content-type'] !== 'application/json') return refused(400, 'content-type');
    return create({ path, body: jsonOf(body), isWaiting: headers.prefer === 'wait' }, state, url);
  }
  const [, kind = '', id = '', verb] = /^\/v1\/(predictions|streams)\/([\w-]+)(\/cancel)?$/.exec(path) ?? [];
  const prediction = state.predictions.get(id);
  if (prediction === undefined) return refused(404, 'The requested resource could not be found.');
  if (verb !== undefined) {
    state.cancelled.push(id);
    return { kind: 'answer', status: 200, body: { id, status: 'canceled' } };
  }
  if (method !== 'GET') return refused(405, 'Method not allowed');
  state.requested.push(path);
  const failing = state.behaviour.failing?.shift();
  if (failing !== undefined) return refused(failing, 'as was told');
  if (kind === 'predictions') return reported(prediction, 200, state, url);
  if (headers.accept !== 'text/event-stream') return refused(406, 'accept');
  const requested = { ...prediction.requested, stream: true };
  return { kind: 'pass', path: '/v1/chat/completions', body: requested, relay };
}

interface Creation {
  path: string;
  body: Json;
  isWaiting: boolean;
}

async function create({ path, body, isWaiting }: Creation, state: State, url: string): Promise<Judgement> {
  state.taken.push({ path, body });
  const [, model = ''] = /^\/v1\/models\/(.*)\/predictions$/.exec(path) ?? [];
  const read = readStrictly(() => requestedBy(body, model));
  if ('fault' in read) return refused(422, `- input: ${read.fault}`);
  const id = `p-${state.predictions.size + 1}`;
  const prediction = { id, requested: read.requested, left: state.behaviour.working ?? 0 };
  state.predictions.set(id, prediction);
  if (isWaiting) return reported(prediction, 201, state, url);
  return { kind: 'answer', status: 201, body: facts(prediction, 'starting', state, url) };
}

const common = ['prompt', 'system_prompt', 'max_tokens', 'temperature', 'top_p', 'top_k', 'stop_sequences'];
const inputs: Readonly<Record<string, readonly string[]>> = {
  openai: ['prompt', 'system_prompt', 'image_input', 'max_completion_tokens', 'temperature', 'top_p'],
  anthropic: ['prompt', 'system_prompt', 'image', 'max_tokens'],
  google: ['prompt', 'system_instruction', 'images', 'max_output_tokens', 'temperature', 'top_p'],
  'deepseek-ai': ['prompt', 'max_tokens', 'temperature', 'top_p'],
  'black-forest-labs': ['prompt', 'aspect_ratio', 'num_outputs', 'output_format', 'seed'],
};

function requestedBy(body: Json, model: string): Json {
  const { input, version, ...others } = body;
  demand(Object.keys(others).length === 0, `unknown field ${Object.keys(others)[0]}`);
  demand(model === '' ? typeof version === 'string' : version === undefined, 'version');
  demand(isObject(input), 'input is required');
  const [vendor = ''] = model.split('/');
  demand(hasOnly(input, inputs[vendor] ?? common), 'Additional property is not allowed');
  const { prompt, system_prompt: system, system_instruction: instruction, max_tokens: most } = input;
  demand(typeof prompt === 'string' && prompt !== '', 'prompt is required');
  demand(prompt !== refusedText, refusedText);
  demand(most === undefined || (typeof most === 'number' && most >= (vendor === 'anthropic' ? 1024 : 1)), 'max_tokens is out of range');
  const { num_outputs: count, aspect_ratio: ratio } = input;
  demand(count === undefined || (typeof count === 'number' && count >= 1 && count <= 4), 'num_outputs must be at most 4');
  demand(ratio === undefined || (typeof ratio === 'string' && /^\d+:\d+$/.test(ratio)), 'aspect_ratio');
  const rules = system ?? instruction;
  const messages = [...(rules === undefined ? [] : [{ role: 'system', content: rules }]), { role: 'user', content: prompt }];
  return { model: 'gpt-4o-mini', messages, ...(count === undefined ? {} : { n: count }) };
}

function facts({ id }: Prediction, status: string, { behaviour }: State, url: string): Json {
  const at = `${url}/v1/predictions/${id}`;
  const stream = behaviour.isMute === true ? {} : { stream: behaviour.streamAt ?? `${url}/v1/streams/${id}` };
  return {
    id,
    status,
    error: null,
    output: null,
    created_at: '2026-01-15T08:00:00Z',
    urls: { get: at, cancel: `${at}/cancel`, ...stream },
  };
}

async function reported(prediction: Prediction, status: number, state: State, url: string): Promise<Judgement> {
  const { behaviour } = state;
  if (prediction.left-- > 0) return { kind: 'answer', status, body: facts(prediction, 'processing', state, url) };
  if (behaviour.error !== undefined) return ended(prediction, status, { status: 'failed', error: behaviour.error }, state, url);
  if (behaviour.output !== undefined)
    return ended(prediction, status, { output: behaviour.output, metrics: { predict_time: 1.5 } }, state, url);
  const response = await fetch(`${state.upstreamUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(prediction.requested),
  });
  const completion: unknown = await response.json();
  if (!response.ok) return refused(response.status, 'The upstream refuses');
  const { choices, usage } = Object(completion);
  const text = String(choices[0].message.content ?? '');
  const metrics = isObject(usage) ? metricsOf(usage) : { predict_time: 1.5 };
  return ended(prediction, status, { output: text.match(/\s*\S+/g) ?? [], metrics }, state, url);
}

function ended(prediction: Prediction, status: number, fields: Json, state: State, url: string): Judgement {
  return { kind: 'answer', status, body: { ...facts(prediction, 'succeeded', state, url), ...fields } };
}

function refused(status: number, detail: string): Judgement {
  return { kind: 'answer', status, body: { title: 'Error', detail, status } };
}

const relay = relayOwn({
  whole: (completion) => completion,
  events: () => replicateEvents(),
  write: writeReplicateEvent,
  failed: { name: 'error', data: '{"detail":"The prediction has failed"}' },
  failure: (message) => ({ title: 'Error', detail: message, status: 500 }),
});

/** Converts chunks of a chat completion to events, each by itself. @param metrics whether the last event contains metrics */
export function replicateEvents({ metrics = false } = {}): (chunk: Json) => Json[] {
  return ({ choices, usage }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    const { delta, finish_reason: reason } = Object(choice);
    const { content } = Object(delta);
    const said = typeof content === 'string' && content !== '' ? [{ name: 'output', data: content }] : [];
    if (metrics && isObject(usage)) return [{ name: 'done', data: JSON.stringify({ metrics: metricsOf(usage) }) }];
    return typeof reason === 'string' && !metrics ? [...said, { name: 'done', data: '{}' }] : said;
  };
}

function metricsOf({ prompt_tokens: input, completion_tokens: output }: Json): Json {
  return { input_token_count: input, output_token_count: output, predict_time: 1.5 };
}

/** An event as it is written. */
export function writeReplicateEvent({ name, data }: Json): string {
  const lines = String(data)
    .split('\n')
    .map((line) => `data: ${line}\n`);
  return `event: ${String(name)}\nid: 1:0\n${lines.join('')}\n`;
}
