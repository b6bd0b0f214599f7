// What a provider sends the browser back with.
import { oauthApi, type RedirectProvider, TelegramQuery } from '#shared/oauth.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';

/** Signed-in user; undefined: the user's account was bound. `isBinding`: a user is signed in on this device. */
export async function sendAnswer(
  provider: RedirectProvider,
  { search, hash }: { search: string; hash: string },
  isBinding: boolean,
): Promise<User | undefined> {
  const query = Object.fromEntries(new URLSearchParams(search));
  if (provider !== 'telegram') return call(oauthApi[provider], { query });
  const signed = { ...telegramFields(hash), state: query['state'] };
  if (!isBinding) return call(oauthApi.telegram, { query: signed });
  await call(oauthApi.bindTelegram, { query: signed });
  return undefined;
}

/** The fields behind `#tgAuthResult=`: JSON in base64, with the letters that addresses take. */
export function telegramFields(hash: string): TelegramQuery {
  const packed = /[#&]tgAuthResult=([\w=-]+)/.exec(hash)?.[1] ?? '';
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const fields = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {});
    return TelegramQuery.parse(Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
  } catch {
    return { state: undefined };
  }
}
