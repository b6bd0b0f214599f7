// ChatGPT account: sends the access token of a sign-in and the account id. `renew-sign-ins.ts` renews the token long
// before it expires.
import { readCodexKey } from '#shared/codex-key.ts';
import { type Authorization, keyForm } from './scheme.ts';

export function codex(text: string): Authorization {
  const key = readCodexKey(text);
  if (key === null)
    return {
      headers: {},
      problem: keyForm({ zh: '含有 access_token 和 account_id 的 JSON', en: 'of JSON with an access_token and an account_id' }),
    };
  return { headers: { authorization: `Bearer ${key.access_token}`, 'chatgpt-account-id': key.account_id }, problem: null };
}
