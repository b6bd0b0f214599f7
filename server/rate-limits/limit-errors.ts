// Errors of rate limits. They name the limit, never what others have used.
import { AppError, type LocalText } from '#shared/errors.ts';
import type { RateWindow } from '#shared/rate-limits.ts';
import type { BoundLimit } from './bound-limits.ts';

const windows: Readonly<Record<RateWindow, LocalText>> = {
  minute: { zh: '每分钟', en: 'minute' },
  hour: { zh: '每小时', en: 'hour' },
  day: { zh: '每天', en: 'day' },
};
const units: Readonly<Record<'requests' | 'tokens', LocalText>> = {
  requests: { zh: '次请求', en: 'requests' },
  tokens: { zh: '个 token', en: 'tokens' },
};
const subjects = {
  token: { zh: '此令牌', en: 'this key' },
  user: { zh: '此账户', en: 'this account' },
  member: { zh: '此成员', en: 'this member' },
  team: { zh: '此团队', en: 'this team' },
  each_user: { zh: '每个用户', en: 'each user' },
  each_token: { zh: '每个令牌', en: 'each key' },
  all: { zh: '全站', en: 'the whole site' },
} as const satisfies Record<string, LocalText>;

/** Names of models in a text, at most. */
const mostNames = 3;

export function limitReached(bound: BoundLimit, retryAfter: number): AppError {
  const { limit } = bound;
  const details = { amount: limit.amount, subject: subjectOf(bound), seconds: retryAfter };
  if (!('per' in limit)) return new AppError('parallel_limit_exceeded', details, { retryAfter });
  return new AppError('rate_limit_exceeded', { ...details, unit: units[limit.meter], per: windows[limit.per] }, { retryAfter });
}

/** Error for a call or a batch that needs more than a window ever allows. */
export function neverFits(bound: BoundLimit, count: number): AppError {
  const { limit } = bound;
  const per = 'per' in limit ? windows[limit.per] : windows.minute;
  const unit = units[limit.meter === 'requests' ? 'requests' : 'tokens'];
  return new AppError('rate_limit_too_small', { count, unit, amount: limit.amount, per, subject: subjectOf(bound) });
}

export function promptTooLong(bound: BoundLimit, tokens: number): AppError {
  return new AppError('context_length_exceeded', { tokens, limit: bound.limit.amount, subject: subjectOf(bound) });
}

export function answerUnbounded({ limit }: BoundLimit, model: string): AppError {
  return new AppError('output_limit_unsupported', { limit: limit.amount, model });
}

function subjectOf({ scope, limit }: BoundLimit): LocalText {
  const name = scope !== 'site' || !('counted' in limit) ? scope : limit.counted === 'all' ? 'all' : (`each_${limit.counted}` as const);
  const { zh, en } = subjects[name === 'site' ? 'all' : name];
  const { models } = limit;
  if (models === undefined) return { zh, en };
  const names = models.length > mostNames ? [...models.slice(0, mostNames), '…'] : models;
  return { zh: `${zh}（${names.join('、')}）`, en: `${en} (${names.join(', ')})` };
}
