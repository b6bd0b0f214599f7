// A sign-in to a ChatGPT account, as far as its renewal needs to know it.
import { readCodexKey } from '#shared/codex-key.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export interface SignIn {
  /** Can be used once; undefined: there is none that could travel. */
  refreshToken: string | undefined;
  /** Milliseconds; undefined: the token does not say. */
  expiresAt: number | undefined;
}

/** Null: the key is none that can be used. */
export function readSignIn(key: string): SignIn | null {
  const read = readCodexKey(key);
  if (read === null) return null;
  const { access_token: access, refresh_token: refresh } = read;
  return { refreshToken: refresh !== undefined && isToken(refresh) ? refresh : undefined, expiresAt: expiryOf(access) };
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** Of a JSON Web Token. https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function expiryOf(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  const exp = parseObject(Buffer.from(payload, 'base64url').toString('utf8'))?.exp;
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}
