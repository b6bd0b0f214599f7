// Requests new tokens for a ChatGPT sign-in, as the vendor's CLI does.
// https://github.com/openai/codex/blob/main/codex-rs/login/src/auth/manager.rs
import { framings } from '#server/framing/registry.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { SendFailure } from './send-failure.ts';
import type { Sender } from './send.ts';
import { isToken } from './sign-in.ts';

/** New tokens; absent members are unchanged. */
export interface NewTokens {
  access_token: string;
  refresh_token?: string;
  id_token?: string;
}

export type TokenAnswer =
  | { kind: 'renewed'; tokens: NewTokens }
  /** The sign-in has ended. */
  | { kind: 'refused'; reason: string }
  /** The outcome is unknown. */
  | { kind: 'failed'; reason: string };

const tokenAddress = 'https://auth.openai.com/oauth/token';
/** Client id of the vendor's CLI, which created these sign-ins. */
const clientId = 'app_EMoamEEZ73f0CkXaXp7hrann';
const limits = { responseMs: 15_000, maxBytes: 256 * 1024 };
const longestReason = 500;

interface Requested {
  refreshToken: string;
  proxy: string | null;
  address: string | undefined;
}

export async function requestTokens(
  sender: Pick<Sender, 'send'>,
  { refreshToken, proxy, address = tokenAddress }: Requested,
): Promise<TokenAnswer> {
  const url = new URL(address);
  const requested = { client_id: clientId, grant_type: 'refresh_token', refresh_token: refreshToken, scope: 'openid profile email' };
  const { response } = sender.send(
    {
      origin: url.origin,
      path: url.pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'Tidegate' },
      body: Buffer.from(JSON.stringify(requested)),
      proxy,
      framing: framings.sse,
    },
    limits,
  );
  try {
    const answer = await response;
    if (answer.kind === 'stream') {
      answer.stream.abort();
      return { kind: 'failed', reason: 'a stream came' };
    }
    return judged(answer.status, parseObject(answer.body.toString('utf8')));
  } catch (failure) {
    if (failure instanceof SendFailure) return { kind: 'failed', reason: failure.reason };
    throw failure;
  }
}

function judged(status: number, body: Readonly<Record<string, unknown>> | null): TokenAnswer {
  if (status === 200) return renewed(body ?? {});
  const reason = reasonIn(body);
  // Proxies in front of the vendor's service occasionally reject requests.
  return reason !== undefined && (status === 400 || status === 401)
    ? { kind: 'refused', reason }
    : { kind: 'failed', reason: `status ${status}` };
}

function renewed({ access_token: access, refresh_token: refresh, id_token: id }: Readonly<Record<string, unknown>>): TokenAnswer {
  if (!isToken(access)) return { kind: 'failed', reason: 'no token came' };
  return {
    kind: 'renewed',
    tokens: { access_token: access, ...(isToken(refresh) ? { refresh_token: refresh } : {}), ...(isToken(id) ? { id_token: id } : {}) },
  };
}

/** OpenAI sends `{"error": {"code", "message"}}`, RFC 6749 `{"error", "error_description"}`. */
function reasonIn(body: Readonly<Record<string, unknown>> | null): string | undefined {
  const error = body?.['error'];
  const parts = isObject(error) ? [error['code'], error['message']] : [error, body?.['error_description']];
  const words = parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
  return words === '' ? undefined : words.slice(0, longestReason);
}
