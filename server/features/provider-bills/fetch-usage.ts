// Requests the last days of an account from its provider's usage API, page by page. Costs are the bill; usage adds calls and tokens.
import { isObject } from '#server/framing/loose-json.ts';
import { type BillFetchFailure, type BillProvider, usageApis } from '#shared/bill-accounts.ts';
import type { AppContext } from '#server/context.ts';
import type { BillAccountRecord } from '#server/db/records/bill.ts';
import { EgressRefusal } from '#server/egress/egress-refusal.ts';
import { maskSecrets } from '#server/exchange/mask-secrets.ts';
import { addDays, daysBetween } from './calendar.ts';
import { termsOf } from './entries.ts';
import type { FileRow } from './read-file.ts';
import { parseExact, rowsOfJson } from './read-json.ts';

const answerMs = 30_000;
const largestAnswer = 16 * 1024 * 1024;
/** Pages of one list. A provider that has more, or repeats a page, never ends. */
const mostPages = 100;
/** Days that a page may have at most, of both providers that have pages. */
const pageDays = 31;
const longestText = 300;

export class UsageApiError extends Error {
  readonly code: BillFetchFailure;
  /** Seconds after which the provider wants to be called again, if it says so. */
  readonly retryAfter: number | undefined;
  constructor(code: BillFetchFailure, text = '', options: ErrorOptions & { retryAfter?: number | undefined } = {}) {
    super(text, options);
    this.name = 'UsageApiError';
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

export type FetchContext = Pick<AppContext, 'egress' | 'secrets'>;

/** First and last day, of UTC. */
export interface FetchedDays {
  from: string;
  to: string;
}

interface List {
  path: string;
  /** Query of a page; `page` is undefined for the first one. */
  query: URLSearchParams;
}

const lists: Partial<Record<BillProvider, (days: FetchedDays) => List[]>> = {
  // https://platform.openai.com/docs/api-reference/usage
  openai: ({ from, to }) => {
    const span = {
      start_time: String(secondsOf(from)),
      end_time: String(secondsOf(addDays(to, 1))),
      bucket_width: '1d',
      limit: String(pageDays),
    };
    return [
      { path: '/v1/organization/costs', query: new URLSearchParams({ ...span, group_by: 'line_item' }) },
      { path: '/v1/organization/usage/completions', query: new URLSearchParams({ ...span, group_by: 'model' }) },
    ];
  },
  // https://platform.claude.com/docs/en/manage-claude/usage-cost-api
  anthropic: ({ from, to }) => {
    const span = {
      starting_at: `${from}T00:00:00Z`,
      ending_at: `${addDays(to, 1)}T00:00:00Z`,
      bucket_width: '1d',
      limit: String(pageDays),
    };
    return [
      { path: '/v1/organizations/cost_report', query: new URLSearchParams({ ...span, 'group_by[]': 'description' }) },
      { path: '/v1/organizations/usage_report/messages', query: new URLSearchParams({ ...span, 'group_by[]': 'model' }) },
    ];
  },
  // https://openrouter.ai/docs/api/api-reference/analytics/get-user-activity: a day has one page.
  openrouter: ({ from, to }) =>
    Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => ({
      path: '/api/v1/activity',
      query: new URLSearchParams({ date: addDays(from, index) }),
    })),
};

export function hasUsageApi({ provider, key_cipher: cipher }: Pick<BillAccountRecord, 'provider' | 'key_cipher'>): boolean {
  return lists[provider] !== undefined && cipher !== '';
}

/** Rows of all days. A day without rows is in the bill with nothing. @throws {UsageApiError} */
export async function* fetchUsage(context: FetchContext, account: BillAccountRecord, days: FetchedDays): AsyncGenerator<FileRow[]> {
  const terms = termsOf(account);
  const key = keyOf(context, account);
  for (const day of [days.from, days.to]) yield [{ line: 0, result: { day, part: 'costs', isEmpty: true } }];
  for (const { path, query } of lists[account.provider]?.(days) ?? []) {
    const seen = new Set<string>();
    for (let page: string | undefined, count = 0; ; count += 1) {
      if (count >= mostPages) throw new UsageApiError('endless');
      if (page !== undefined) query.set('page', page);
      const answer = await request(context, account, { key, path, query });
      const found = rowsOfJson(answer);
      if (found === undefined) throw new UsageApiError('bad_answer');
      yield Array.from(found.rows, (row, line) => ({ line: line + 1, result: row(terms) }));
      const next = isObject(answer) && answer['has_more'] === true ? answer['next_page'] : undefined;
      if (typeof next !== 'string' || next === '') break;
      // A page that leads back never ends.
      if (seen.has(next)) throw new UsageApiError('endless');
      seen.add(next);
      page = next;
    }
  }
}

function keyOf({ secrets }: FetchContext, { key_cipher: cipher }: BillAccountRecord): string {
  try {
    return secrets.decrypt(cipher, 'bill_key');
  } catch (cause) {
    throw new UsageApiError('key_unreadable', '', { cause });
  }
}

interface PageRequest {
  key: string;
  path: string;
  query: URLSearchParams;
}

async function request(
  { egress }: FetchContext,
  { provider, base_url: base }: BillAccountRecord,
  { key, path, query }: PageRequest,
): Promise<unknown> {
  const origin = (base === '' ? (usageApis[provider] ?? '') : base).replace(/\/+$/, '');
  const headers: Record<string, string> =
    provider === 'anthropic' ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' } : { authorization: `Bearer ${key}` };
  const answer = await egress
    .send({
      url: `${origin}${path}?${query}`,
      method: 'GET',
      headers: { ...headers, accept: 'application/json' },
      milliseconds: answerMs,
      maxBytes: largestAnswer,
      redirects: 0,
      // Super administrators enter it, as they enter addresses of channels.
      isTrusted: true,
    })
    .catch((cause: unknown) => {
      if (!(cause instanceof EgressRefusal)) throw cause;
      throw new UsageApiError(
        cause.reason === 'timeout' ? 'timeout' : cause.reason === 'too_large' ? 'bad_answer' : 'unreachable',
        cause.reason,
        { cause },
      );
    });
  const text = answer.body.toString('utf8');
  if (answer.status === 429 || answer.status === 503) {
    const seconds = Number(answer.headers['retry-after']);
    throw new UsageApiError('rate_limited', `HTTP ${answer.status}`, { retryAfter: Number.isFinite(seconds) ? seconds : undefined });
  }
  if (answer.status !== 200) throw new UsageApiError('refused', `HTTP ${answer.status} ${messageOf(text, key)}`.trim());
  const parsed = parseExact(text);
  if (!isObject(parsed)) throw new UsageApiError('bad_answer', text.trimStart().startsWith('<') ? 'HTML' : '');
  return parsed;
}

/** The provider's own words, if its refusal has some. */
function messageOf(text: string, key: string): string {
  const parsed = parseExact(text);
  const error = isObject(parsed) ? parsed['error'] : undefined;
  const message = isObject(error) ? error['message'] : error;
  return typeof message === 'string'
    ? maskSecrets(message, { key })
        .replace(/\p{Cc}+/gu, ' ')
        .slice(0, longestText)
    : '';
}

function secondsOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / 1000;
}
