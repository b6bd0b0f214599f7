// Price syncs: changes of a catalogue to review, changes planned for a date, and the history of a model's prices.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';

/** `million`: USD per million tokens. `call`, `second`, `thousand`: USD per call, second of video, thousand runs of a tool. `factor`: a ratio. */
export const PriceLineUnit = z.enum(['million', 'call', 'second', 'thousand', 'factor']);
export type PriceLineUnit = z.infer<typeof PriceLineUnit>;

/** One price before and after. `name` has its kind before a colon and what it depends on after it: `output`, `long_input:200000`, `tier:batch`. */
export const PriceLine = z.object({
  name: z.string(),
  unit: PriceLineUnit,
  before: z.optional(z.number()),
  after: z.optional(z.number()),
});
export type PriceLine = z.infer<typeof PriceLine>;

/**
 * Why a change waits for a person. `moved`: beyond the guard. `free`: a price falls to zero. `lost`: the model would have no price. `kind`: it would be
 * charged by another unit. `differs`: providers of the catalogue disagree. `again`: a sync has changed the model within a day. `author`: who planned
 * the change for now may not change prices any more.
 */
export const PriceGuard = z.enum(['moved', 'free', 'lost', 'kind', 'differs', 'again', 'author']);
export type PriceGuard = z.infer<typeof PriceGuard>;

/** A change that waits for a person. Times are unix seconds. */
export const PriceReview = z.object({
  /** Name of the model, or a pattern with `*` at its end. */
  model: z.string(),
  /** Changes with every other content: an application names the revision that was reviewed. */
  revision: z.string(),
  lines: z.array(PriceLine),
  guards: z.array(PriceGuard),
  /** The model has no price yet. */
  is_new: z.boolean(),
  /** Prices of the catalogue that Tidegate has no place for. */
  unplaced: z.array(z.string()),
  /** Provider of the catalogue; empty if it names none. */
  provider: z.string(),
  found_at: z.int(),
});
export type PriceReview = z.infer<typeof PriceReview>;

/**
 * `changed`: an entry is no longer as the plan found it, so nothing was applied. `held`: who planned it may not change prices any more, so it will wait
 * for a review at its time.
 */
export const PricePlan = z.object({
  id: z.int(),
  model: z.string(),
  lines: z.array(PriceLine),
  /** When it is applied. */
  at: z.int(),
  state: z.enum(['waiting', 'changed', 'held']),
  username: z.string(),
  created_at: z.int(),
  source: z.string(),
});
export type PricePlan = z.infer<typeof PricePlan>;

export const PriceSyncFailure = z.enum([
  'no_address',
  'unreachable',
  'refused_address',
  'timeout',
  'too_large',
  'http_status',
  'not_json',
  'repeated_name',
  'unknown_format',
  'interrupted',
  'other',
]);
export type PriceSyncFailure = z.infer<typeof PriceSyncFailure>;

/** Recognized by its shape. */
export const CatalogueFormat = z.enum(['tidegate', 'models_dev', 'litellm']);
export type CatalogueFormat = z.infer<typeof CatalogueFormat>;

export const PriceSyncRun = z.object({
  id: z.int(),
  trigger: z.enum(['schedule', 'console']),
  state: z.enum(['running', 'done', 'failed']),
  started_at: z.int(),
  ended_at: z.optional(z.int()),
  /** Host of the catalogue. */
  source: z.string(),
  format: z.optional(CatalogueFormat),
  failure: z.optional(PriceSyncFailure),
  /** HTTP status, or the repeated name. */
  detail: z.optional(z.string()),
  /** Models compared, changed at once, and left to review. */
  compared: z.int(),
  applied: z.int(),
  waiting: z.int(),
  /** Models of the catalogue whose prices are not numbers from 0 up. */
  invalid: z.array(z.string()),
  /** Models with prices that Tidegate has no place for. */
  unplaced: z.array(z.object({ model: z.string(), names: z.array(z.string()) })),
});
export type PriceSyncRun = z.infer<typeof PriceSyncRun>;

export const PriceSyncOverview = z.object({
  /** Host of the catalogue; empty: no address is set. */
  source: z.string(),
  interval_hours: z.int(),
  next_at: z.optional(z.int()),
  applies: z.enum(['none', 'new', 'all']),
  guard_percent: z.number(),
  is_list_public: z.boolean(),
  /** Newest first. */
  runs: z.array(PriceSyncRun),
  /** By name. */
  reviews: z.array(PriceReview),
  /** By time. */
  plans: z.array(PricePlan),
  /** Of the server, unix seconds. */
  at: z.int(),
});
export type PriceSyncOverview = z.infer<typeof PriceSyncOverview>;

/** A save that changed a model's price. `source`: catalogue it came from; `note`: what its editor wrote. */
export const PriceEvent = z.object({
  id: z.int(),
  /** Effective since, unix seconds. */
  at: z.int(),
  /** Empty: a job, or an account that no longer exists. */
  username: z.string(),
  source: z.optional(z.string()),
  note: z.optional(z.string()),
  lines: z.array(PriceLine),
});
export type PriceEvent = z.infer<typeof PriceEvent>;

const Reviewed = z
  .array(z.object({ model: z.string().check(z.maxLength(300)), revision: z.string().check(z.maxLength(64)) }))
  .check(z.minLength(1), z.maxLength(5000));

/** What became of reviewed changes. `gone`: no longer offered; `renewed`: offered with other content; `changed`: the price was edited meanwhile. */
export const PriceOutcome = z.object({
  done: z.array(z.string()),
  refused: z.array(z.object({ model: z.string(), reason: z.enum(['gone', 'renewed', 'changed']) })),
});
export type PriceOutcome = z.infer<typeof PriceOutcome>;

export const priceSyncApi = {
  read: endpoint('GET', '/api/price/sync', {
    access: 'admin',
    reply: PriceSyncOverview,
    summary: 'Price changes to review, plans, and last syncs',
  }),
  run: endpoint('POST', '/api/price/sync', {
    access: 'admin',
    audit: { exempt: 'jobs' },
    reply: PriceSyncRun,
    summary: 'Compare prices with the catalogue now',
  }),
  /** Applies exactly the revisions that are named, now or at `at` (unix seconds). */
  apply: endpoint('POST', '/api/price/sync/apply', {
    access: 'admin',
    audit: { kind: 'price', action: 'changed' },
    body: z.object({ changes: Reviewed, at: z.optional(z.int()) }),
    reply: PriceOutcome,
    summary: 'Apply reviewed price changes, now or at a time',
  }),
  /** They return when the catalogue's price changes. */
  dismiss: endpoint('POST', '/api/price/sync/dismiss', {
    access: 'admin',
    audit: { kind: 'price', action: 'withdrawn', by: 'call' },
    body: z.object({ changes: Reviewed }),
    reply: PriceOutcome,
    summary: 'Dismiss price changes of the catalogue',
  }),
  withdraw: endpoint('DELETE', '/api/price/plan/:id', {
    access: 'admin',
    audit: { kind: 'price', action: 'withdrawn', by: 'call', object: 'id' },
    params: z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) }),
    summary: 'Withdraw a planned price change',
  }),
  history: endpoint('GET', '/api/price/history', {
    access: 'admin',
    query: z.object({ model: z.string().check(z.minLength(1), z.maxLength(300)), before: QueryText }),
    /** Newest first. `next`: value of `before` for older events. */
    reply: z.object({ events: z.array(PriceEvent), next: z.optional(z.string()) }),
    summary: 'Prices of a model by date',
  }),
  /** The document itself, without the envelope. */
  list: endpoint('GET', '/api/price/list', { access: 'optional', summary: 'All prices in Tidegate’s format' }),
};
