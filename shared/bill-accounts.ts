// Accounts at providers, whose bills are compared with the calls of their channels.
import { z } from 'zod/mini';

/** Who writes the bill. `other`: any table by a mapping of its columns. */
export const BillProvider = z.enum(['openai', 'anthropic', 'google', 'openrouter', 'other']);
export type BillProvider = z.infer<typeof BillProvider>;

/** Providers with a usage API, and its origin. Their days are those of UTC. */
export const usageApis: Partial<Record<BillProvider, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  openrouter: 'https://openrouter.ai',
};

/** Zone in which a provider's days begin; undefined: the bill says none, and the account has one. */
export const zoneOf: Partial<Record<BillProvider, string>> = { openai: 'UTC', anthropic: 'UTC', openrouter: 'UTC' };
/** Days of Google's reports begin in California. https://docs.cloud.google.com/billing/docs/reports */
export const googleZone = 'America/Los_Angeles';

/** Exact decimal text, such as `12.5` or `-0.001`; USD if nothing else is said. */
export const Amount = z.string();
export const Name = z.string().check(z.trim(), z.minLength(1), z.maxLength(80));
/** Decimal text above 0. */
const Factor = z.string().check(z.regex(/^(?=.*[1-9])\d{1,9}(\.\d{1,12})?$/));

/** Why the usage API did not answer as it should. `text`: the provider's words, masked. */
export const BillFetchFailure = z.enum([
  'unreachable',
  'timeout',
  'refused',
  'rate_limited',
  'bad_answer',
  'endless',
  'key_unreadable',
  'other',
]);
export type BillFetchFailure = z.infer<typeof BillFetchFailure>;

/** An account at a provider, whose bill is compared with the calls of its channels. Times are unix seconds. */
export const BillAccount = z.object({
  id: z.int(),
  name: z.string(),
  provider: BillProvider,
  channels: z.array(z.object({ id: z.int(), name: z.string() })),
  /** IANA zone of the bill's days. */
  zone: z.string(),
  /** ISO 4217 code of amounts without one, and USD for one of it. */
  currency: z.string(),
  rate: Amount,
  /** What the provider takes for a dollar by the site's model prices: `0.9` with a discount of ten per cent. */
  factor: Amount,
  /** Names of models in the bill, and their names here. */
  models: z.record(z.string(), z.string()),
  /** Origin of the usage API; empty: the provider's. */
  base_url: z.string(),
  has_key: z.boolean(),
  revision: z.int(),
  /** Days with a bill; absent: none. */
  first_day: z.optional(z.string()),
  last_day: z.optional(z.string()),
  fetch: z.optional(
    z.object({
      /** Last request of the usage API that succeeded, and when the next one is due. */
      done_at: z.optional(z.int()),
      next_at: z.int(),
      failure: z.optional(z.object({ code: BillFetchFailure, text: z.string(), at: z.int(), tries: z.int() })),
    }),
  ),
});
export type BillAccount = z.infer<typeof BillAccount>;

const base = z.string().check(z.trim(), z.maxLength(300), z.regex(/^$|^https?:\/\/[^\s@?#]+$/));

export const BillAccountInput = z.object({
  name: Name,
  provider: BillProvider,
  channel_ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(200)),
  zone: z.string().check(z.maxLength(64)),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/)),
  rate: Factor,
  factor: Factor,
  models: z.record(z.string().check(z.minLength(1), z.maxLength(200)), z.string().check(z.minLength(1), z.maxLength(200))),
  base_url: base,
  /** Admin key of the usage API. Absent: unchanged; empty: removed. */
  key: z.optional(z.string().check(z.trim(), z.maxLength(500), z.regex(/^[\x21-\x7E]*$/))),
  revision: z.optional(z.int()),
});
export type BillAccountInput = z.infer<typeof BillAccountInput>;
