// Spark of iFlytek by HTTP, and by sockets, in front of the fake upstream: rejects fields that its vendor does not know, and reports errors with
// status 200.
import { sparkSockets } from './fake-spark-sockets.ts';
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';

export const sparkKey = 'app1|sec1|key1';
/** https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html */
const known: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'presence_penalty',
  'frequency_penalty',
  'max_tokens',
  'tools',
  'tool_choice',
  'tool_calls_switch',
  'user',
]);

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (headers.authorization !== 'Bearer key1:sec1') {
    return { kind: 'answer', status: 401, body: { error: { message: 'invalid user', type: 'api_error', param: null, code: null } } };
  }
  const requested = jsonOf(body);
  taken.push(requested);
  const fault = (code: number, message: string): Judgement => ({ kind: 'answer', status: 200, body: { code, message, sid: 'cha1' } });
  if (method !== 'POST' || path !== '/v1/chat/completions') return fault(10_404, `nothing at ${path}`);
  const unknown = Object.keys(requested).filter((name) => !known.has(name));
  if (unknown.length > 0) return fault(10_163, `unknown: ${unknown.join()}`);
  if (requested['model'] !== '4.0Ultra') return fault(11_200, 'AppIdNoAuthError');
  if (requested['tools'] !== undefined && requested['tool_calls_switch'] !== true) return fault(10_163, 'calls would be no list');
  const { tool_calls_switch: _switch, ...passed } = requested;
  return { kind: 'pass', path, body: requested['stream'] === true ? { ...passed, stream_options: { include_usage: true } } : passed };
}

/** @param taken gets the bodies of the calls, in order */
export function startFakeSpark(taken: Record<string, unknown>[] = []) {
  return async (url: string): Promise<ProviderFront> => ({
    ...(await startFront(url, (request) => judge(request, taken), sparkSockets(url, taken))),
    channel: { type: 18, key: sparkKey },
  });
}
