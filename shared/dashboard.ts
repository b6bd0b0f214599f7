import { z } from 'zod/mini';
import { FailingChannel } from '#shared/channels.ts';
import { endpoint } from '#shared/contract.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';
import { zoneQuery } from '#shared/time-steps.ts';

/** How wide a step of time is. */
export const UsageStep = z.enum(['hour', 'day', 'week']);
export type UsageStep = z.infer<typeof UsageStep>;

/** Dimensions that calls are grouped by. Channels and users are for administrators. */
export const UsageBy = z.enum(['model', 'token', 'channel', 'user']);
export type UsageBy = z.infer<typeof UsageBy>;

/** Seconds that a question may be about. */
export const longestUsageSeconds = 93 * 86_400;
/** Steps that it may have. */
export const mostUsageSteps = 400;
/** What stands in the series by name; the rest is the difference to the whole. */
export const namedSeries = 5;
/** What stands in the list of totals by name. */
export const namedTotals = 50;

/** What calls came to. */
export const UsageSums = z.object({
  calls: z.int(),
  /** Calls that did not end well. */
  errors: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds, sums over the calls that ended well. */
  first_byte_ms: z.int(),
  duration_ms: z.int(),
});
export type UsageSums = z.infer<typeof UsageSums>;
export const noUsage: UsageSums = {
  calls: 0,
  errors: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_byte_ms: 0,
  duration_ms: 0,
};

const NamedSums = z.object({
  /** The name of the model, the id of the channel or user, of tokens a name that stays when they are renamed. */
  name: z.string(),
  /** What to show for it. */
  label: z.string(),
  /** Current name of a token and, in figures of all users, its owner. Absent in copies stored on a device by an earlier version. */
  token: z.optional(z.object({ name: z.string(), username: z.optional(z.string()) })),
  sums: UsageSums,
});
export type NamedSums = z.infer<typeof NamedSums>;

const Percentiles = z.object({ p50: z.int(), p95: z.int() });

/** How long the calls took that ended well, in milliseconds, at most 12 % off; null where nothing is known. */
export const UsageLatency = z.object({ duration: z.nullable(Percentiles), first_byte: z.nullable(Percentiles) });
export type UsageLatency = z.infer<typeof UsageLatency>;

export const UsageFigures = z.object({
  /** When the first step begins and the last one ends, unix seconds. */
  start: z.int(),
  end: z.int(),
  /** When the figures were made. */
  at: z.int(),
  step: UsageStep,
  by: UsageBy,
  /** When each step begins. */
  steps: z.array(z.int()),
  whole: z.array(UsageSums),
  /** Of the whole time, and step by step. Absent in copies stored on a device by an earlier version. */
  latency: z.optional(z.object({ whole: UsageLatency, steps: z.array(UsageLatency) })),
  /** The time of the same length before, step by step. */
  previous: z.array(UsageSums),
  /** Of the time before, as far as it had come: to compare with a time that is not over. */
  previous_so_far: UsageSums,
  /** By name, those that cost most first. */
  totals: z.array(NamedSums),
  /** How many more there are, and what they came to. */
  others: z.object({ count: z.int(), sums: UsageSums }),
  /** The first of `totals`, step by step. */
  series: z.array(z.object({ name: z.string(), sums: z.array(UsageSums) })),
  /** Earlier hours are still being summed up, after an update. */
  complete_from: z.nullable(z.int()),
});
export type UsageFigures = z.infer<typeof UsageFigures>;

/** One model in one hour, as existing clients read it. */
export const UsageHour = z.object({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  model_name: z.string(),
  /** When the hour began. */
  created_at: z.int(),
  token_used: z.int(),
  count: z.int(),
  quota: z.int(),
});
export type UsageHour = z.infer<typeof UsageHour>;

/** Refused calls of one token for one cause. */
export const RefusalGroup = z.object({
  /** An error code of `errors.ts`, or one of a newer server. */
  code: z.string(),
  /** Error message of the last of them. */
  reason: z.object({ zh: z.string(), en: z.string() }),
  username: z.string(),
  token_name: z.string(),
  count: z.int(),
  /** Unix seconds. */
  last_at: z.int(),
  /** The newest row. */
  log_id: z.int(),
});
export type RefusalGroup = z.infer<typeof RefusalGroup>;

/** What an operator may have to do something about. */
export const OperatorTodo = z.object({
  /** When it was looked at, unix seconds. */
  at: z.int(),
  /** Channels that were disabled automatically, the newest first. */
  channels: z.array(z.object({ id: z.int(), name: z.string(), reason: z.string(), since: z.int() })),
  /** Enabled channels that fail. Absent in copies stored on a device by an earlier version. */
  failing: z.optional(z.array(FailingChannel)),
  /** All channels that were disabled automatically and all that fail, listed above or not. Absent from what a device has stored. */
  channel_counts: z.optional(z.object({ disabled: z.int(), failing: z.int() })),
  /** How many channels are enabled. */
  enabled_channels: z.optional(z.int()),
  /** Refused calls of the last day by their cause and token, those with the most first. */
  refusals: z.optional(z.array(RefusalGroup)),
  /** Users who called in the last day and whose balance is below the reminder. */
  low_users: z.array(z.object({ id: z.int(), username: z.string(), quota: z.int() })),
  /** All such users, listed above or not. Absent from what a device has stored. */
  low_user_count: z.optional(z.int()),
  /** Models that were requested in the last day and have no price. */
  unpriced: z.array(z.object({ model: z.string(), count: z.int() })),
  /** Number of such models, listed above or not. Absent in copies stored on a device. */
  unpriced_count: z.optional(z.int()),
  /** Model ratio at which calls of such models are charged in self-use mode; absent: they are refused. */
  unpriced_ratio: z.optional(z.number()),
  /** Models whose price deviates from the cost that their provider reports: US dollars of calls of one day. Absent in copies stored on a device. */
  drifts: z.optional(
    z.array(
      z.object({
        channel: z.int(),
        name: z.string(),
        model: z.string(),
        calls: z.int(),
        ours: z.number(),
        reported: z.number(),
        at: z.int(),
      }),
    ),
  ),
  /** Price changes that wait for a review, planned ones that were not applied, and whether the last comparison failed. Absent: none of it. */
  prices: z.optional(z.object({ reviews: z.int(), changed: z.int(), has_failed: z.boolean() })),
  /** Calls of some account cannot be settled. */
  is_stuck: z.boolean(),
  /** Mails are sent, and no address is set for their links. Reported only to users who may set it. */
  lacks_address: z.boolean(),
  /** Address of a private proxy that forwards clients and is not in `TRUSTED_PROXIES`; absent: none was seen. */
  untrusted_proxy: z.optional(z.string()),
});
export type OperatorTodo = z.infer<typeof OperatorTodo>;

const time = { start_timestamp: QueryInt, end_timestamp: QueryInt };
const question = {
  ...time,
  step: z.pipe(QueryText, z.optional(UsageStep)),
  by: z.pipe(QueryText, z.optional(UsageBy)),
  ...zoneQuery,
};

export const dashboardApi = {
  hours: endpoint('GET', '/api/data/', {
    access: 'admin',
    query: z.object({ ...time, username: QueryText, default_time: QueryText }),
    reply: z.array(UsageHour),
    summary: 'What everybody used, by model and hour',
  }),
  hoursSelf: endpoint('GET', '/api/data/self', {
    access: 'user',
    organisation: 'usage',
    query: z.object({ ...time, default_time: QueryText }),
    reply: z.array(UsageHour),
    summary: 'Own use by model and hour',
  }),
  operatorTodo: endpoint('GET', '/api/data/desk', { access: 'admin', reply: OperatorTodo, summary: 'What may need an operator' }),
  figures: endpoint('GET', '/api/data/figures', {
    access: 'admin',
    query: z.object({ ...question, username: QueryText }),
    reply: UsageFigures,
    summary: 'Calls, cost, tokens, errors and latency of everybody over time',
  }),
  figuresSelf: endpoint('GET', '/api/data/self/figures', {
    access: 'user',
    organisation: 'usage',
    query: z.object(question),
    reply: UsageFigures,
    summary: 'Own calls, cost, tokens, errors and latency over time',
  }),
};
