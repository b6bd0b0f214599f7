// https://core.telegram.org/widgets/login: Telegram signs the identity with a key that only it and the owner of the bot have.
import { createHash, createHmac } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import type { TelegramQuery } from '#shared/oauth.ts';
import type { Identity } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import { countHit } from '#server/http/rate-limit.ts';
import { isSame } from '../attempt.ts';

const signedFields = ['auth_date', 'first_name', 'id', 'last_name', 'photo_url', 'username'] as const;
const oldestSeconds = 600;
const aheadSeconds = 60;

/** The number of the bot, which is public: the part of its token before the colon. */
function telegramBotId(token: string): string {
  return /^(\d+):/.exec(token)?.[1] ?? '';
}

/** Returns Telegram's authorization page, which comes back with `#tgAuthResult=…`. */
export function telegramUrl({ env, settings }: AppContext, returnTo: string): URL {
  const url = new URL(`${env.TELEGRAM_OAUTH_URL}/auth`);
  url.searchParams.set('bot_id', telegramBotId(settings.get('TelegramBotToken')));
  url.searchParams.set('origin', new URL(returnTo).origin);
  url.searchParams.set('embed', '0');
  url.searchParams.set('return_to', returnTo);
  return url;
}

/** Who Telegram says that it is; an answer counts once. @throws {AppError} `telegram_disabled`, `telegram_invalid` */
export async function identifyByTelegram(context: AppContext, query: TelegramQuery): Promise<Identity> {
  const { settings } = context;
  if (!settings.get('TelegramOAuthEnabled')) throw new AppError('telegram_disabled');
  const token = settings.get('TelegramBotToken');
  const { id, hash = '', auth_date: signedAt = '' } = query;
  if (token === '' || id === undefined || !/^\d{1,20}$/.test(id) || !/^\d{1,12}$/.test(signedAt)) throw new AppError('telegram_invalid');
  // With line breaks in values, the same signed text could be split into another identity.
  if (signedFields.some((name) => query[name]?.includes('\n') === true)) throw new AppError('telegram_invalid');
  const lines = signedFields.flatMap((name) => (query[name] === undefined ? [] : [`${name}=${query[name]}`]));
  const expected = createHmac('sha256', createHash('sha256').update(token).digest()).update(lines.join('\n')).digest('hex');
  const age = context.now() / 1000 - Number(signedAt);
  if (!isSame(hash, expected) || age > oldestSeconds || age < -aheadSeconds) throw new AppError('telegram_invalid');
  const { count } = await countHit(context, `telegram:${hash}`, oldestSeconds + aheadSeconds);
  if (count > 1) throw new AppError('telegram_invalid');
  return { provider: 'telegram', subject: id, shown: id };
}
