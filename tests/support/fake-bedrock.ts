// AWS Bedrock before the fake upstream: judges signatures by AWS's own package, and answers in frames.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseObject } from '#server/framing/loose-json.ts';
import { framings } from '#server/framing/registry.ts';
import { eventFrame, exceptionFrame, signedHeaders } from './aws-oracle.ts';
import { converseEvents, converseOf, messagesOf } from './converse-responses.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';

export const bedrockKey = 'AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1';
export const bedrockApiKey = 'ABSKEXAMPLE+/==|us-east-1';

export interface FakeBedrock extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
  /** From now on every call is refused so. */
  refuse(status: number, type: string, message: string): void;
  /** The next stream ends with an exception behind so many frames. */
  fail(type: string, frames: number): void;
}

interface Failing {
  refusal: Judgement | null;
  exception: { type: string; frames: number } | null;
}

export async function startFakeBedrock(upstreamUrl: string): Promise<FakeBedrock> {
  const taken: Record<string, unknown>[] = [];
  const failing: Failing = { refusal: null, exception: null };
  const front = await startFront(upstreamUrl, async (request, url) => {
    const fault = await authorizationFault(request, url);
    if (fault !== null) return fault;
    if (failing.refusal !== null) return failing.refusal;
    if (request.headers.accept !== 'application/json') return invalid(`accept: ${request.headers.accept}`);
    if (request.method === 'GET') return listOf(request);
    taken.push(jsonOf(request.body));
    return judgeCall(request, failing);
  });
  return {
    ...front,
    [Symbol.asyncDispose]: () => front.close(),
    taken,
    channel: { type: 33, key: bedrockKey },
    refuse: (status, type, message) => void (failing.refusal = refusal(status, type, message)),
    fail: (type, frames) => void (failing.exception = { type, frames }),
  };
}

async function authorizationFault({ method, path, headers, body }: FrontedRequest, url: string): Promise<Judgement | null> {
  const { authorization = '' } = headers;
  if (authorization === `Bearer ${bedrockApiKey.split('|')[0]}`) return null;
  const date = String(headers['x-amz-date'] ?? '');
  const now = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(now)) return refusal(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  if (body.length > 0 && !names.includes('content-type')) return refusal(403, 'InvalidSignatureException', 'content-type is not signed');
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  if (sent['host'] !== new URL(url).host) return refusal(403, 'InvalidSignatureException', 'host is another one');
  const request = { method, origin: url, path, headers: sent, body: body.length === 0 ? null : body };
  const { authorization: expected } = await signedHeaders(bedrockKey, request, now);
  return authorization === expected ? null : refusal(403, 'InvalidSignatureException', `The signature is not ${expected}`);
}

/** Lists that the console requests. */
function listOf({ path }: FrontedRequest): Judgement {
  if (path === '/inference-profiles?maxResults=1000') {
    const inferenceProfileSummaries = [{ inferenceProfileId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', status: 'ACTIVE' }];
    return { kind: 'answer', status: 200, body: { inferenceProfileSummaries } };
  }
  if (path !== '/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT') return nothingAt(path);
  const modelSummaries = [{ modelId: 'amazon.nova-lite-v1:0' }, { modelId: 'mistral.mistral-large-2402-v1:0' }];
  return { kind: 'answer', status: 200, body: { modelSummaries } };
}

function judgeCall(request: FrontedRequest, failing: Failing): Judgement {
  const { path, body, headers } = request;
  const [, id = '', verb = ''] = /^\/model\/([^/:]+)\/(invoke|invoke-with-response-stream|converse|converse-stream)$/.exec(path) ?? [];
  const model = decodeURIComponent(id);
  if (verb.startsWith('converse')) return judgeConverse(request, { model, isStream: verb === 'converse-stream' }, failing);
  if (!/^(?:us\.)?anthropic\.claude-/.test(model)) return nothingAt(path);
  const { anthropic_version: version, anthropic_beta: betas, ...message } = jsonOf(body);
  if (version !== 'bedrock-2023-05-31') return invalid('anthropic_version: Field required');
  for (const name of ['model', 'stream']) if (name in message) return invalid(`${name}: Extra inputs are not permitted`);
  if ('anthropic-beta' in headers || 'anthropic-version' in headers) return invalid('versions stand in the body');
  if (/"source":\{"type":"url"/.test(body.toString())) return invalid('source: URL sources are not supported');
  if (betas !== undefined && !isListOf(betas, /^(?:interleaved-thinking|context-management)-/)) return invalid('invalid beta flag');
  // Frames are padded with letters, so that their length reveals nothing.
  const wrap = (data: string) => [
    eventFrame('chunk', { bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh'.slice(data.length % 8) }),
  ];
  return {
    kind: 'pass',
    path: '/v1/messages',
    body: { model, stream: verb === 'invoke-with-response-stream', ...message },
    headers: { 'anthropic-version': '2023-06-01', ...(Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : {}) },
    relay: (answer, response) => relay(answer, response, { failing, frames: wrap, whole: (answered) => answered }),
  };
}

function judgeConverse(
  { path, body }: FrontedRequest,
  { model, isStream }: { model: string; isStream: boolean },
  failing: Failing,
): Judgement {
  if (!/^(?:us\.amazon\.nova-|openai\.gpt-oss-|meta\.)/.test(model)) return nothingAt(path);
  const read = messagesOf(jsonOf(body), model, isStream);
  if ('fault' in read) return invalid(read.fault);
  const convert = converseEvents();
  const frames = (data: string) => convert(JSON.parse(data)).map((event) => eventFrame(event.name, { ...event.data, p: 'abcde' }));
  return {
    kind: 'pass',
    path: '/v1/messages',
    body: read.requested,
    headers: { 'anthropic-version': '2023-06-01' },
    relay: (answer, response) => relay(answer, response, { failing, frames, whole: converseOf }),
  };
}

interface Conversion {
  failing: Failing;
  /** Of one event of a Messages stream. */
  frames(data: string): Buffer[];
  whole(message: Record<string, unknown>): Record<string, unknown>;
}

function relay(answer: IncomingMessage, response: ServerResponse, conversion: Conversion): void {
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) relayFrames(answer, response, conversion);
  else if (answer.statusCode === 200) void relayWhole(answer, response, conversion);
  else void relayRefusal(answer, response);
}

/** What is no JSON stays what it is. */
async function relayWhole(answer: IncomingMessage, response: ServerResponse, { whole }: Conversion): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const message = parseObject(bytes.toString());
  response.writeHead(200, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
  response.end(message === null ? bytes : JSON.stringify(whole(message)));
}

/** Errors have a type in a header, and a message alone. */
async function relayRefusal(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  const { error } = jsonOf(Buffer.concat(chunks));
  const { message = '' } = Object(error);
  const type = errorTypes.get(answer.statusCode ?? 0) ?? 'InternalServerException';
  const retry = answer.headers['retry-after'];
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:http://internal.amazon.com/` };
  response.writeHead(answer.statusCode ?? 502, { ...headers, ...(retry === undefined ? {} : { 'retry-after': retry }) });
  response.end(JSON.stringify({ message }));
}

const errorTypes: ReadonlyMap<number, string> = new Map([
  [400, 'ValidationException'],
  [403, 'AccessDeniedException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
]);

function relayFrames(answer: IncomingMessage, response: ServerResponse, { failing, frames }: Conversion): void {
  response.writeHead(200, { 'content-type': framings['aws-wrapped'].mediaType });
  const splitter = framings.sse.createSplitter();
  const { exception } = failing;
  failing.exception = null;
  let sent = 0;
  answer.on('data', (chunk: Buffer) => {
    for (const { name, data } of framings.sse.events(splitter.push(chunk) ?? Buffer.alloc(0))) {
      if (response.writableEnded) return;
      if (name === 'error' || (exception !== null && sent >= exception.frames)) {
        response.end(exceptionFrame(exception?.type ?? 'internalServerException', 'The model has failed'));
        return;
      }
      for (const frame of frames(data)) response.write(frame);
      sent += 1;
    }
  });
  answer.once('end', () => response.end());
}

function isListOf(value: unknown, pattern: RegExp): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && pattern.test(item));
}

function invalid(message: string): Judgement {
  return refusal(400, 'ValidationException', message);
}

function nothingAt(path: string): Judgement {
  return refusal(404, 'ResourceNotFoundException', `There is nothing at ${path}`);
}

function refusal(status: number, type: string, message: string): Judgement {
  return { kind: 'answer', status, body: { message }, headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` } };
}
