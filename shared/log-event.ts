// What rows of the log that are no calls say, in a form for every language.
import { z } from 'zod/mini';

/** `name`: the entry of a map; `before` and `after` are absent where there was or is none. `is_secret`: both values are omitted. */
export const SettingChange = z.object({
  key: z.string(),
  name: z.optional(z.string()),
  before: z.optional(z.string()),
  after: z.optional(z.string()),
  is_secret: z.optional(z.boolean()),
});
export type SettingChange = z.infer<typeof SettingChange>;

/**
 * What a charge consists of, before the group's ratio. `part`: a class of tokens, a tool, or `request`, `trained`; `share`: of the prepaid amount,
 * for results without a usage; `rounding`: each result is rounded up by itself; `adjusted`: the charge beyond or below all that. `price`: USD of a
 * million, or of each. `source` is missing for uncounted parts: requests, runs.
 */
export const ChargeLine = z.object({
  part: z.string(),
  quantity: z.number(),
  price: z.number(),
  per: z.enum(['million', 'each']),
  source: z.optional(z.enum(['upstream', 'counted', 'estimated'])),
});
export type ChargeLine = z.infer<typeof ChargeLine>;

/** `order`: the row of the prepayment; `tier_ratio`: factor of the tier, included in the prices. All missing on rows of earlier versions. */
const settlement = {
  order: z.optional(z.int()),
  lines: z.optional(z.array(ChargeLine)),
  group_ratio: z.optional(z.number()),
  tier_ratio: z.optional(z.number()),
  quota_per_unit: z.optional(z.number()),
};

/**
 * What happened, on rows that are not calls: for clients that say it in the reader's language. The row's `content` says it in
 * Chinese. Amounts are quota.
 */
export const LogEvent = z.discriminatedUnion('code', [
  z.object({ code: z.literal('signup_bonus'), amount: z.int() }),
  z.object({ code: z.literal('invitee_bonus'), amount: z.int() }),
  z.object({ code: z.literal('inviter_reward'), amount: z.int() }),
  z.object({ code: z.literal('earnings_transferred'), amount: z.int() }),
  z.object({ code: z.literal('quota_set'), from: z.int(), to: z.int(), reason: z.optional(z.string()) }),
  z.object({ code: z.literal('topped_up'), amount: z.int(), money: z.string() }),
  z.object({ code: z.literal('code_redeemed'), amount: z.int(), redemption_id: z.int() }),
  /** A drawing or a piece of music failed and its price went back. `task_id`: the upstream's. */
  z.object({ code: z.literal('task_refunded'), amount: z.int(), task_id: z.string() }),
  /**
   * A request for a drawing, a piece of music or a video got no response from the channel: nothing was charged, and the provider may bill it.
   * `request_id`: of the call.
   */
  z.object({ code: z.literal('task_lost'), request_id: z.string(), action: z.string() }),
  /** A batch has ended. `cost`: what it cost; `amount`: the rest of what was taken for it, which went back; negative: what was taken beyond. */
  z.object({
    code: z.literal('batch_settled'),
    batch: z.string(),
    model: z.string(),
    requests: z.int(),
    answered: z.int(),
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    cost: z.int(),
    amount: z.int(),
    ...settlement,
  }),
  /**
   * A vector store existed from `from` until `until` (unix seconds); at most so many bytes. `amount`: the cost, negative. `price`: USD for a GB and a
   * day.
   */
  z.object({
    code: z.literal('store_day'),
    store: z.string(),
    name: z.string(),
    bytes: z.int(),
    from: z.int(),
    until: z.int(),
    price: z.number(),
    group_ratio: z.number(),
    quota_per_unit: z.optional(z.number()),
    amount: z.int(),
  }),
  /**
   * A model's training has ended. `tokens`: trained tokens, as the provider reports them or, if `estimated`, by the examples; the rest as of a batch.
   * `tuned`: name of the new model; empty: there is none.
   */
  z.object({
    code: z.literal('tuning_settled'),
    job: z.string(),
    model: z.string(),
    tuned: z.string(),
    status: z.string(),
    tokens: z.int(),
    source: z.optional(z.enum(['upstream', 'estimated'])),
    cost: z.int(),
    amount: z.int(),
    ...settlement,
  }),
  /** A context cache was stored from `from` until `until` (unix seconds). `cost`: what storing cost; `amount`: what went back of what was paid ahead. */
  z.object({
    code: z.literal('cache_ended'),
    cache: z.string(),
    model: z.string(),
    tokens: z.int(),
    from: z.int(),
    until: z.int(),
    cost: z.int(),
    amount: z.int(),
    ...settlement,
  }),
  /** An administrator gave back what a call had cost, or a part of it. `call`: the id of its row. */
  z.object({ code: z.literal('call_refunded'), amount: z.int(), call: z.int(), model: z.string(), reason: z.string() }),
  /** Rows from before a moment (unix seconds) were deleted. */
  z.object({ code: z.literal('logs_deleted'), count: z.int(), before: z.int() }),
  z.object({ code: z.literal('user_promoted') }),
  z.object({ code: z.literal('user_demoted') }),
  z.object({ code: z.literal('user_disabled') }),
  z.object({ code: z.literal('user_enabled') }),
  z.object({ code: z.literal('user_deleted') }),
  z.object({ code: z.literal('sessions_ended'), count: z.int() }),
  /** An administrator acted on a token. `token`: its name. */
  z.object({ code: z.literal('token_blocked'), token: z.string(), reason: z.string() }),
  z.object({ code: z.literal('token_unblocked'), token: z.string() }),
  z.object({ code: z.literal('token_limited'), token: z.string() }),
  z.object({ code: z.literal('token_deleted'), token: z.string() }),
  /** By settings as code. */
  z.object({ code: z.literal('token_created'), token: z.string() }),
  z.object({ code: z.literal('token_changed'), token: z.string() }),
  /** On rows of both users; `from` and `to` are their names. */
  z.object({ code: z.literal('token_moved'), token: z.string(), from: z.string(), to: z.string() }),
  z.object({ code: z.literal('binding_removed'), binding: z.string() }),
  /** `keys`: joined by commas. */
  z.object({
    code: z.literal('settings_changed'),
    keys: z.string(),
    /** What a few of them were and are, as far as that is short and no secret. */
    changes: z.optional(z.array(SettingChange)),
    /** How many more changes there were. */
    more: z.optional(z.int()),
  }),
  /** A group was renamed. */
  z.object({ code: z.literal('group_renamed'), group: z.string(), to: z.string() }),
  /** `to`: the group that got what was in it; absent: nothing was. */
  z.object({ code: z.literal('group_removed'), group: z.string(), to: z.optional(z.string()) }),
  /** A channel was tried out before it was saved. `name`: as the form has it, or the provider's. */
  /** A key was replaced in channels, or put back. */
  z.object({
    code: z.enum(['key_replaced', 'key_replacement_undone']),
    old_ending: z.string(),
    new_ending: z.string(),
    channels: z.array(z.int()),
  }),
  z.object({ code: z.literal('channel_draft_tested'), name: z.string(), model: z.string() }),
]);
export type LogEvent = z.infer<typeof LogEvent>;
