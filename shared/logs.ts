import { z } from 'zod/mini';
import { AdminInfo } from '#shared/admin-info.ts';
import { CallUnits } from '#shared/call-units.ts';
import { endpoint } from '#shared/contract.ts';
import { LogEvent } from '#shared/log-event.ts';
import { mediaFields } from '#shared/log-media.ts';
import { RefusalFacts } from '#shared/refusal-facts.ts';
import { CursorQuery, pageOf } from '#shared/paging.ts';
import { TimeStep, zoneQuery } from '#shared/time-steps.ts';
import { balanceReasonLimit, quotaLimit } from '#shared/user.ts';
import { setAside } from '#shared/set-aside.ts';
import { QueryBoolean, QueryInt, QueryText } from '#shared/query-values.ts';

/** `refusal`: calls with a known key that were refused before any channel was tried; one row per key, reason and minute. */
/** `test`: a test of a channel. It is no call: lists include it on request only, and no count includes it. */
export const LogType = { topUp: 1, consumption: 2, management: 3, system: 4, refusal: 5, test: 6 } as const;

/** How calls ended: `failed` is every other way than well, `refused` never began. */
export const LogResult = z.enum(['success', 'failed', 'refused']);
export type LogResult = z.infer<typeof LogResult>;

/** `broken`: calls that did not find in the provider's cache what their conversation had left there. */
export const LogCache = z.enum(['broken']);
export type LogCache = z.infer<typeof LogCache>;

export const Log = z.object({
  id: z.int(),
  user_id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  token_id: z.int(),
  /** In an organisation, for those who read the calls of all members: the member who made the call; 0 and no name: a service account. */
  member_id: z.optional(z.int()),
  member_name: z.optional(z.string()),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Whole seconds. */
  use_time: z.int(),
  is_stream: z.boolean(),
  /** 0 for users who are not administrators. */
  channel: z.int(),
  channel_name: z.string(),
  group: z.string(),
  request_id: z.string(),
  /** JSON text of `LogOther`, or empty. */
  other: z.string(),
});
export type Log = z.infer<typeof Log>;

/** Where a number of tokens comes from. */
export const UsageSource = z.enum(['upstream', 'counted', 'estimated']);
export type UsageSource = z.infer<typeof UsageSource>;

/** One try of a call. Users who are not administrators get `channel: 0` and no name. */
export const Attempt = z.object({
  channel: z.int(),
  channel_name: z.optional(z.string()),
  /** HTTP status of the upstream; 0 when there was none. */
  status: z.int(),
  /** Milliseconds after the call began. */
  start_ms: z.number(),
  first_byte_ms: z.optional(z.number()),
  end_ms: z.number(),
  /** Error code or short reason of a failed try. */
  error: z.optional(z.string()),
  /** The request was not sent: it cannot be expressed in the format of the provider. */
  unsent: z.optional(z.boolean()),
});
export type Attempt = z.infer<typeof Attempt>;

/** How a call ended that did not end well. */
export const CallEnding = z.enum([
  /** The stream stopped without its proper end. */
  'truncated',
  /** The upstream fell silent. */
  'stalled',
  /** It failed; before the answer when nothing was used. */
  'upstream_error',
  /** It could not be put into the words of the channels that were tried: nothing was sent. */
  'unsendable',
  /** In the middle of the answer came something that is none. */
  'invalid_answer',
  /** What the upstream reports as used cannot be true. */
  'invalid_usage',
  'client_closed',
  /** The server ended before the answer did. */
  'shutdown',
  /** The account had no more in the middle of the answer. */
  'overdraft',
  /** The model wrote a word that the site blocks. */
  'blocked_words',
  /** Our own, in the middle of the answer. */
  'fault',
]);
export type CallEnding = z.infer<typeof CallEnding>;

/** `at`: unix seconds; `row`: the id of the row that reports the refund. */
export const CallRefund = z.object({ amount: z.int(), reason: z.string(), at: z.int(), row: z.int(), by: z.optional(z.string()) });
export type CallRefund = z.infer<typeof CallRefund>;

const Advice = z.object({ model: z.string(), prompt_tokens: z.int(), completion_tokens: z.int(), price: z.number() });

/** What a consumption row knows beyond its columns. Ratio fields are 0 for models with a price per call. */
export const LogOther = z.looseObject({
  model_ratio: z.optional(z.number()),
  completion_ratio: z.optional(z.number()),
  cache_ratio: z.optional(z.number()),
  /** Of plain input, where the call was priced as one with a long prompt; absent: 1. The other ratios hold that factor, too. */
  input_ratio: z.optional(z.number()),
  /** The provider's tier, if it has a price, and its factor, which the model ratio includes. */
  service_tier: z.optional(z.string()),
  tier_ratio: z.optional(z.number()),
  cache_creation_ratio: z.optional(z.number()),
  cache_creation_ratio_1h: z.optional(z.number()),
  group_ratio: z.optional(z.number()),
  /** USD per call, -1 for models priced by usage. */
  model_price: z.optional(z.number()),
  cache_tokens: z.optional(z.int()),
  /** Tokens that an earlier call of the conversation had left in the provider's cache, where this one read fewer than half of them. */
  cache_expected: z.optional(z.int()),
  /** All cache writes, and of them those for an hour. */
  cache_creation_tokens: z.optional(z.int()),
  cache_creation_tokens_1h: z.optional(z.int()),
  ...mediaFields,
  /** What a price per call is paid for, where a call has several; tools that ran at the provider: how often, and USD per 1,000 runs. */
  units: z.catch(z.optional(CallUnits), undefined),
  hosted_calls: z.catch(z.optional(z.readonly(z.array(z.object({ kind: z.string(), calls: z.int(), price: z.number() })))), undefined),
  /** What other models have written within the call, no part of its tokens: USD before the group's ratio for 1,000 such. */
  advice: z.catch(z.optional(z.readonly(z.array(Advice))), undefined),
  reasoning_tokens: z.optional(z.int()),
  reasoning_effort: z.optional(z.string()),
  /** Names of the client's fields that the provider's format has no place for. */
  dropped_fields: z.optional(z.readonly(z.array(z.string()))),
  /**
   * The requested output is a summary that replaces the conversation: requested by the caller, or made within a call whose conversation was too long.
   */
  compaction: z.catch(z.optional(z.enum(['asked', 'automatic'])), undefined),
  /** Milliseconds until the first byte of the answer. */
  frt: z.optional(z.number()),
  /** Milliseconds of the whole call. */
  duration_ms: z.optional(z.number()),
  is_model_mapped: z.optional(z.boolean()),
  upstream_model_name: z.optional(z.string()),
  prompt_source: z.optional(UsageSource),
  completion_source: z.optional(UsageSource),
  /** Tokens of each choice that went upstream as the limit, because the account could pay for no more. */
  output_bound: z.optional(z.int()),
  /** Model that the caller requested, and name of the budget at whose end the logged model took its place. */
  requested_model: z.optional(z.string()),
  ended_budget: z.optional(z.string()),
  /** Quota that was used and not charged: the account did not have it, and another call had left a debt already. */
  uncharged_quota: z.optional(z.int()),
  /**
   * Charged although the client had left: its answer was read to the end, or counted as far as it had come, or estimated from the
   * time that it ran.
   */
  after_leaving: z.catch(z.optional(z.enum(['read', 'counted', 'estimated'])), undefined),
  /** Of a call that submitted a task: the requested action, and the upstream's id of the task. Such a call has one price and no tokens. */
  task: z.optional(z.object({ action: z.string(), id: z.string() })),
  ...setAside,
  attempts: z.optional(z.array(Attempt)),
  /** A `CallEnding`, or one of a newer server; absent: it ended well. */
  ending: z.optional(z.string()),
  /** What went wrong: the upstream's own words where it was the upstream that said so, else ours. Masked. */
  problem: z.optional(z.string()),
  /** Session of its client that the call belongs to: ids are the client's, except `key`, which identifies the session in requests. */
  session: z.catch(
    z.optional(
      z.object({
        id: z.string(),
        key: z.optional(z.string()),
        /** Of another agent than the first one. */
        agent: z.optional(z.string()),
        /** The one that called that agent, when it was not the first one. */
        parent: z.optional(z.string()),
        /** The program and its version. */
        client: z.optional(z.string()),
      }),
    ),
    undefined,
  ),
  /** Quota per US dollar when the row was written. */
  quota_per_unit: z.optional(z.number()),
  /** For administrators only. */
  admin_info: z.optional(AdminInfo),
  /** What was given back of the call, oldest first. `by`: for administrators only. */
  refunds: z.catch(z.optional(z.array(CallRefund)), undefined),
  /** On rows that are not calls. One that this client does not know yet counts as absent. */
  event: z.catch(z.optional(LogEvent), undefined),
  refusal: z.catch(z.optional(RefusalFacts), undefined),
});
export type LogOther = z.infer<typeof LogOther>;

const filters = {
  type: QueryInt,
  token_name: QueryText,
  model_name: QueryText,
  start_timestamp: QueryInt,
  end_timestamp: QueryInt,
  group: QueryText,
  result: z.pipe(QueryText, z.optional(LogResult)),
  cache: z.pipe(QueryText, z.optional(LogCache)),
  request_id: QueryText,
  /** Calls of one session: the client's id, of the newest that bears it, or the one of `CallSession`. */
  session: QueryText,
};
/** On behalf of an organisation: calls of the tokens of a member (0: of service accounts), and of those of a team. */
const ownFilters = { ...filters, member_id: QueryInt, team_id: QueryInt };
const adminFilters = { ...filters, username: QueryText, channel: QueryInt };
const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });
/** Rows of a search or of one token at once. */
export const foundLogs = 100;

export const LogFormat = z.enum(['csv', 'jsonl']);
export type LogFormat = z.infer<typeof LogFormat>;
/** How a file of rows is written. The zone is that of the day in its name. */
export const exported = { format: z.pipe(QueryText, z.optional(LogFormat)), ...zoneQuery };

/** Rows under the filters by the hour or day, for a picture of them. */
export const LogTimeline = z.object({
  step: TimeStep,
  /** When the first step begins, the last one ends, and the rows were counted: unix seconds. */
  start: z.int(),
  end: z.int(),
  at: z.int(),
  /** When each step begins. */
  steps: z.array(z.int()),
  /** Rows of each step, and of those the calls that failed or were refused. */
  calls: z.array(z.int()),
  errors: z.array(z.int()),
});
export type LogTimeline = z.infer<typeof LogTimeline>;

/** Gives back `amount` quota of a call: at most what it cost without what was given back before. */
export const RefundInput = z.object({
  amount: z.int().check(z.minimum(1), z.maximum(quotaLimit)),
  /** The user reads it too. */
  reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(balanceReasonLimit)),
  /** Names this refund, so that sending it again after a lost response does not make it twice. */
  ref: z.string().check(z.regex(/^[\w-]{8,64}$/)),
});
export type RefundInput = z.infer<typeof RefundInput>;

const stepped = { step: z.pipe(QueryText, z.optional(TimeStep)), ...zoneQuery };
const LogStat = z.object({ quota: z.int(), rpm: z.int(), tpm: z.int() });

export const logApi = {
  list: endpoint('GET', '/api/log/', {
    access: 'admin',
    query: z.extend(CursorQuery, { ...adminFilters, without_total: QueryBoolean }),
    reply: pageOf(Log),
    summary: 'Usage logs of everybody',
  }),
  listSelf: endpoint('GET', '/api/log/self', {
    access: 'user',
    organisation: 'member',
    query: z.extend(CursorQuery, { ...ownFilters, without_total: QueryBoolean }),
    reply: pageOf(Log),
    summary: 'Own usage logs',
  }),
  /** Answers how many rows go; what does not go at once goes soon after. */
  remove: endpoint('DELETE', '/api/log/', {
    access: 'admin',
    audit: { kind: 'usage_log', action: 'deleted', by: 'call', object: 'target_timestamp' },
    query: z.object({ target_timestamp: QueryInt }),
    reply: z.int(),
    summary: 'Delete all rows from before a moment; the books stay provable',
  }),
  search: endpoint('GET', '/api/log/search', {
    access: 'admin',
    query: z.object({ keyword: QueryText }),
    reply: z.array(Log),
    summary: 'The newest rows of a type, or whose content begins so',
  }),
  searchSelf: endpoint('GET', '/api/log/self/search', {
    access: 'user',
    organisation: 'usage',
    query: z.object({ keyword: QueryText }),
    reply: z.array(Log),
    summary: 'The newest own rows of a type, or whose content begins so',
  }),
  /** The key comes in `Authorization`; in the query string it lands in other people’s logs. */
  ofToken: endpoint('GET', '/api/log/token', {
    access: 'public',
    query: z.object({ key: QueryText }),
    reply: z.array(Log),
    summary: 'The newest calls of a key',
  }),
  /** A file that is written as it is read. It is no JSON, so it has no envelope unless it is refused. */
  exportAll: endpoint('GET', '/api/log/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object({ ...adminFilters, ...exported }),
    changesState: true,
    summary: 'Everybody’s usage logs as CSV or JSON lines',
  }),
  exportSelf: endpoint('GET', '/api/log/self/export', {
    access: 'user',
    organisation: 'member',
    audit: { exempt: 'reads' },
    query: z.object({ ...ownFilters, ...exported }),
    changesState: true,
    summary: 'Own usage logs as CSV or JSON lines',
  }),
  /**
   * Server-sent events: `rows` with new rows, newest first, and as its id a cursor that `after` or `Last-Event-ID` takes to resume there (rows may
   * then come twice); `end` when the session is over.
   */
  tail: endpoint('GET', '/api/log/tail', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object({ ...adminFilters, after: QueryText }),
    changesState: true,
    summary: 'Everybody’s new usage logs as they come',
  }),
  tailSelf: endpoint('GET', '/api/log/self/tail', {
    access: 'user',
    organisation: 'member',
    audit: { exempt: 'reads' },
    query: z.object({ ...ownFilters, after: QueryText }),
    changesState: true,
    summary: 'Own new usage logs as they come',
  }),
  /** Answers the call's row as it is afterwards. */
  refund: endpoint('POST', '/api/log/:id/refund', {
    access: 'admin',
    audit: { kind: 'usage_log', action: 'refunded', by: 'call', object: 'id' },
    params: IdParam,
    body: RefundInput,
    reply: Log,
    summary: 'Give back what a call cost, or a part of it',
  }),
  read: endpoint('GET', '/api/log/:id', { access: 'admin', params: IdParam, reply: Log, summary: 'One row of anybody’s usage logs' }),
  readSelf: endpoint('GET', '/api/log/self/:id', {
    access: 'user',
    organisation: 'member',
    params: IdParam,
    reply: Log,
    summary: 'One row of the own usage logs',
  }),
  timeline: endpoint('GET', '/api/log/timeline', {
    access: 'admin',
    query: z.object({ ...adminFilters, ...stepped }),
    reply: LogTimeline,
    summary: 'Everybody’s usage logs by the hour or day',
  }),
  timelineSelf: endpoint('GET', '/api/log/self/timeline', {
    access: 'user',
    organisation: 'member',
    query: z.object({ ...ownFilters, ...stepped }),
    reply: LogTimeline,
    summary: 'Own usage logs by the hour or day',
  }),
  stat: endpoint('GET', '/api/log/stat', {
    access: 'admin',
    query: z.object(adminFilters),
    reply: LogStat,
    summary: 'Sums over everybody’s logs',
  }),
  statSelf: endpoint('GET', '/api/log/self/stat', {
    access: 'user',
    organisation: 'member',
    query: z.object(ownFilters),
    reply: LogStat,
    summary: 'Sums over own logs',
  }),
};
