// The backend for ChatGPT accounts before the fake upstream: takes what the vendor's program sends and nothing else, and only streams.
import { type FrontedRequest, jsonOf, type Judgement, type ProviderFront, startFront } from './provider-front.ts';
import { isObject } from './upstream-responses.ts';

export const codexKey = JSON.stringify({ access_token: 'token-1', account_id: 'acc-1', refresh_token: 'rt-1' });

const fields: ReadonlySet<string> = new Set(
  'model instructions input tools tool_choice parallel_tool_calls reasoning store stream include prompt_cache_key text'.split(' '),
);

export interface FakeCodex extends ProviderFront, AsyncDisposable {
  /** The bodies of the calls that it has taken, in order. */
  readonly taken: Record<string, unknown>[];
}

export async function startFakeCodex(upstreamUrl: string): Promise<FakeCodex> {
  const taken: Record<string, unknown>[] = [];
  const front = await startFront(upstreamUrl, (request) => judge(request, taken));
  return { ...front, [Symbol.asyncDispose]: () => front.close(), taken, channel: { type: 57, key: codexKey } };
}

function judge({ method, path, headers, body }: FrontedRequest, taken: Record<string, unknown>[]): Judgement {
  if (method !== 'POST' || path !== '/backend-api/codex/responses') return refused(404, 'Not Found');
  if (headers.authorization !== 'Bearer token-1' || headers['chatgpt-account-id'] !== 'acc-1') return refused(401, 'Unauthorized');
  if (headers['openai-beta'] !== 'responses=experimental' || headers['originator'] !== 'codex_cli_rs') return refused(403, 'Forbidden');
  if (headers.accept !== 'text/event-stream') return refused(406, 'Not Acceptable');
  const requested = jsonOf(body);
  taken.push(requested);
  const fault = faultOf(requested);
  return fault === null ? { kind: 'pass', path: '/v1/responses', body: requested } : refused(400, fault);
}

function faultOf({ stream, store, instructions, input, ...others }: Record<string, unknown>): string | null {
  const unknown = Object.keys(others).find((field) => !fields.has(field));
  if (unknown !== undefined) return `Unsupported parameter: ${unknown}`;
  if (stream !== true) return 'Stream must be set to true';
  if (store !== false) return 'Store must be set to false';
  if (typeof instructions !== 'string' || instructions === '') return 'Instructions are required';
  if (!Array.isArray(input)) return 'Input must be a list';
  return input.some((item: unknown) => isObject(item) && item['role'] === 'system') ? 'System messages are not allowed' : null;
}

function refused(status: number, detail: string): Judgement {
  return { kind: 'answer', status, body: { detail } };
}
