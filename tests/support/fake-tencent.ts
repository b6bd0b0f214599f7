// Tencent Cloud in front of the fake upstream: accepts correctly signed calls, in Hunyuan's own format only, and reports errors with status 200.
import { createHash, createHmac } from 'node:crypto';
import { vectorOf } from './fake-embedders.ts';
import { chatOf, hunyuanEvents, hunyuanOf } from './hunyuan-responses.ts';
import { relayOwn } from './own-chat-relay.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, refusedText, startFront } from './provider-front.ts';

export const tencentKey = '1250000000|AKIDtest|SKtest';

export interface FakeTencent extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

/** @param options `failureStatus`: for failures of the upstream; missing: the upstream's status, which this provider does not pass through */
export async function startFakeTencent(upstreamUrl: string, { failureStatus }: { failureStatus?: 200 } = {}): Promise<FakeTencent> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken, failureStatus));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 23, key: tencentKey } };
}

function judge(request: FrontedRequest, taken: Record<string, unknown>[], failureStatus: 200 | undefined): Judgement {
  const { method, path, headers, body } = request;
  if (method !== 'POST' || path !== '/') return refused('InvalidParameter', `nothing at ${path}`);
  if (headers['x-tc-version'] !== '2023-09-01') return refused('MissingParameter', 'X-TC-Version');
  const { 'x-tc-action': action } = headers;
  if (action !== 'ChatCompletions' && action !== 'GetEmbedding') return refused('InvalidAction', 'X-TC-Action');
  if (headers['authorization'] !== signatureOf(request)) return refused('AuthFailure.SignatureFailure', 'The signature is wrong');
  const requested = jsonOf(body);
  taken.push(requested);
  if (action === 'GetEmbedding') return embedded(requested);
  const read = chatOf(requested);
  if ('fault' in read) return refused('InvalidParameterValue', read.fault);
  return { kind: 'pass', path: '/v1/chat/completions', body: read.requested, relay: failureStatus === 200 ? relayReported : relay };
}

/** https://cloud.tencent.com/document/product/1729/102832 */
function embedded({ InputList: texts, ...more }: Record<string, unknown>): Judgement {
  if (Array.isArray(texts) && texts.includes(refusedText)) return refused('InvalidParameterValue', refusedText);
  if (!Array.isArray(texts) || texts.length > 200 || Object.keys(more).length > 0) return refused('InvalidParameter', 'InputList');
  const Data = texts.map((text: unknown, Index) => ({ Object: 'embedding', Index, Embedding: vectorOf(text) })).toReversed();
  const PromptTokens = 3 * texts.length;
  return { kind: 'answer', status: 200, body: { Response: { RequestId: 'rq', Data, Usage: { PromptTokens, TotalTokens: PromptTokens } } } };
}

/** https://cloud.tencent.com/document/product/1729/101843 */
function signatureOf({ headers, body }: FrontedRequest): string {
  const time = Number(headers['x-tc-timestamp']);
  const day = new Date(time * 1000).toISOString().slice(0, 10);
  const hash = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
  const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);
  const canonical = `POST\n/\n\ncontent-type:application/json\nhost:${headers.host}\nx-tc-action:${String(headers['x-tc-action']).toLowerCase()}\n\ncontent-type;host;x-tc-action\n${hash(body)}`;
  const key = mac(mac(mac('TC3SKtest', day).digest(), 'hunyuan').digest(), 'tc3_request').digest();
  const signed = mac(key, `TC3-HMAC-SHA256\n${time}\n${day}/hunyuan/tc3_request\n${hash(canonical)}`).digest('hex');
  return `TC3-HMAC-SHA256 Credential=AKIDtest/${day}/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=${signed}`;
}

function failure(code: string, message: string): Record<string, unknown> {
  return { Response: { RequestId: 'rq', Error: { Code: code, Message: message } } };
}

function refused(code: string, message: string): Judgement {
  return { kind: 'answer', status: 200, body: failure(code, message) };
}

const words = { whole: hunyuanOf, events: hunyuanEvents, failed: { ErrorMsg: { Msg: 'Internal error', Code: 4000 } } };
const relay = relayOwn({ ...words, failure: (message) => failure('InternalError', message) });
const relayReported = relayOwn({ ...words, failure: (message) => failure('InvalidParameterValue', message), failureStatus: 200 });
