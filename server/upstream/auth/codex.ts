// A ChatGPT account: the token of a sign-in, and which account it is for. It is not renewed here: a token for that can be used once, and what
// comes in its place would have to be kept by everybody who has the old one.
import { readCodexKey } from '#shared/codex-key.ts';
import type { Authorization } from './scheme.ts';

export function codex(text: string): Authorization {
  const key = readCodexKey(text);
  if (key === null) return { headers: {}, problem: 'the key is not JSON with an access_token and an account_id' };
  return { headers: { authorization: `Bearer ${key.access_token}`, 'chatgpt-account-id': key.account_id }, problem: null };
}
