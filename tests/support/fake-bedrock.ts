// AWS Bedrock before the fake upstream: judges signatures by AWS's own package, and answers in frames.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { framings } from '#server/framing/registry.ts';
import { eventFrame, exceptionFrame, signedHeaders } from './aws-oracle.ts';
import { jsonOf, startFront } from './provider-front.ts';
import type { FrontedRequest, Judgement, ProviderFront } from './provider-front.ts';

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

/** What the console asks about. */
function listOf({ path }: FrontedRequest): Judgement {
  if (path === '/inference-profiles?maxResults=1000') {
    const inferenceProfileSummaries = [{ inferenceProfileId: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', status: 'ACTIVE' }];
    return { kind: 'answer', status: 200, body: { inferenceProfileSummaries } };
  }
  if (path !== '/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT') return nothingAt(path);
  const modelSummaries = [{ modelId: 'amazon.nova-lite-v1:0' }, { modelId: 'mistral.mistral-large-2402-v1:0' }];
  return { kind: 'answer', status: 200, body: { modelSummaries } };
}

function judgeCall({ path, body, headers }: FrontedRequest, failing: Failing): Judgement {
  const [, id = '', verb] = /^\/model\/([^/:]+)\/(invoke|invoke-with-response-stream)$/.exec(path) ?? [];
  const model = decodeURIComponent(id);
  if (!/^(?:us\.)?anthropic\.claude-/.test(model)) return nothingAt(path);
  const { anthropic_version: version, anthropic_beta: betas, ...message } = jsonOf(body);
  if (version !== 'bedrock-2023-05-31') return invalid('anthropic_version: Field required');
  for (const name of ['model', 'stream']) if (name in message) return invalid(`${name}: Extra inputs are not permitted`);
  if ('anthropic-beta' in headers || 'anthropic-version' in headers) return invalid('versions stand in the body');
  if (betas !== undefined && !isListOf(betas, /^(?:interleaved-thinking|context-management)-/)) return invalid('invalid beta flag');
  const isStream = verb === 'invoke-with-response-stream';
  return {
    kind: 'pass',
    path: '/v1/messages',
    body: { model, stream: isStream, ...message },
    headers: { 'anthropic-version': '2023-06-01', ...(Array.isArray(betas) ? { 'anthropic-beta': betas.join(',') } : {}) },
    relay: (answer, response) => relay(answer, response, failing),
  };
}

function relay(answer: IncomingMessage, response: ServerResponse, failing: Failing): void {
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) relayFrames(answer, response, failing);
  else if (answer.statusCode === 200) {
    response.writeHead(200, { 'content-type': answer.headers['content-type'] ?? 'application/json' });
    answer.pipe(response);
  } else void relayRefusal(answer, response);
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

function relayFrames(answer: IncomingMessage, response: ServerResponse, failing: Failing): void {
  response.writeHead(200, { 'content-type': framings['aws-wrapped'].mediaType });
  const splitter = framings.sse.createSplitter();
  const { exception } = failing;
  failing.exception = null;
  let sent = 0;
  answer.on('data', (chunk: Buffer) => {
    for (const { name, data } of framings.sse.events(splitter.push(chunk) ?? Buffer.alloc(0))) {
      if (response.writableEnded) return;
      const isError = name === 'error' || (exception !== null && sent >= exception.frames);
      if (isError) {
        response.end(exceptionFrame(exception?.type ?? 'internalServerException', 'The model has failed'));
        return;
      }
      sent += 1;
      // Frames are filled up with letters, so that their length tells nothing.
      response.write(eventFrame('chunk', { bytes: Buffer.from(data).toString('base64'), p: 'abcdefgh'.slice(0, sent % 8) }));
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
