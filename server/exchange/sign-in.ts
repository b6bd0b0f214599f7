// Fields of a ChatGPT sign-in that its renewal needs.
import { readCodexKey } from '#shared/codex-key.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export interface SignIn {
  /** Refresh token, which works once; undefined if the key has no usable one. */
  refreshToken: string | undefined;
  /** Expiry of the access token, milliseconds since the epoch; undefined if it has none. */
  expiresAt: number | undefined;
}

/** Returns null if the key is unusable. */
export function readSignIn(key: string): SignIn | null {
  const read = readCodexKey(key);
  if (read === null) return null;
  const { access_token: access, refresh_token: refresh } = read;
  return { refreshToken: refresh !== undefined && isToken(refresh) ? refresh : undefined, expiresAt: expiryOf(access) };
}

export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

/** Returns the expiry of a JSON Web Token in milliseconds. https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function expiryOf(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  const exp = parseObject(Buffer.from(payload, 'base64url').toString('utf8'))?.exp;
  return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1000 : undefined;
}
