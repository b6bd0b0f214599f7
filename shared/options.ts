import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QueryText } from '#shared/query-values.ts';

/** A setting. Values are texts; a secret's value is always empty and `isSet` shows whether there is one. */
export const Option = z.object({
  key: z.string(),
  value: z.string(),
  revision: z.int(),
  isSet: z.optional(z.boolean()),
  /** Default value; absent if it is equal to `value`, and for secrets. */
  default: z.optional(z.string()),
  /** When and by whom it was last changed: unix seconds and a username. Absent while it has its default. */
  updated_at: z.optional(z.int()),
  updated_by: z.optional(z.string()),
  /** File of settings as code that manages it; absent: none. */
  managed_by: z.optional(z.string()),
  /** Of `GroupRatio` and `ModelRatio`: files by the groups, and by the models whose prices they manage. Absent: none. */
  managed_entries: z.optional(z.record(z.string(), z.string())),
});
export type Option = z.infer<typeof Option>;

/** `value` absent: ignored. Numbers and booleans count as their text. */
export const OptionInput = z.object({
  key: z.string().check(z.minLength(1), z.maxLength(200)),
  value: z.optional(z.pipe(z.union([z.string().check(z.maxLength(1_000_000)), z.number(), z.boolean()]), z.transform(String))),
  /** The revision that the edit is based on; when another one is current the response is `revision_conflict` with it. */
  revision: z.optional(z.int()),
  /** Groups that are missing in the new `GroupRatio` may go although users, keys or channels are in them; otherwise `group_in_use`. */
  removes_groups: z.optional(z.boolean()),
});
export type OptionInput = z.input<typeof OptionInput>;

/** An entry of a map; without `before` it is new, without `after` it is gone. */
export const EntryChange = z.object({
  name: z.string(),
  before: z.optional(z.union([z.number(), z.string()])),
  after: z.optional(z.union([z.number(), z.string()])),
});
export type EntryChange = z.infer<typeof EntryChange>;

/** What one save did to one setting. */
export const OptionChange = z.object({
  id: z.int(),
  key: z.string(),
  /** That the setting had afterwards. */
  revision: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** Editor of the change; empty: the account no longer exists. */
  username: z.string(),
  /** Catalogue that prices came from, and the reason that the editor wrote. */
  source: z.optional(z.string()),
  note: z.optional(z.string()),
  /** Absent for maps, for secrets, and if the texts are too long to be stored. */
  before: z.optional(z.string()),
  after: z.optional(z.string()),
  /** Of maps: what differs. */
  entries: z.optional(z.array(EntryChange)),
  /** Of secrets, whose values are not stored: whether there was one, and is. */
  was_set: z.optional(z.boolean()),
  is_set: z.optional(z.boolean()),
  /** What it changed is still as it left it, so it can be taken back. */
  can_undo: z.boolean(),
});
export type OptionChange = z.infer<typeof OptionChange>;

const PriceText = z.optional(z.string().check(z.maxLength(1_000_000)));

/** What the calls of the last days would have cost at other prices. Quota. */
export const PriceEffect = z.object({
  days: z.int(),
  /** Of all calls: what they did cost, and what they would have. */
  before: z.int(),
  after: z.int(),
  /** Calls of the models whose prices change, and how many of them were looked at; what the others would cost is inferred from these. */
  calls: z.int(),
  counted: z.int(),
  /** Of those looked at: whose spending changes most, and by how much; how many tokens made them. */
  user: z.optional(z.object({ username: z.string(), difference: z.int() })),
  tokens: z.int(),
});
export type PriceEffect = z.infer<typeof PriceEffect>;

export const optionApi = {
  list: endpoint('GET', '/api/option/', { access: 'admin', reply: z.array(Option), summary: 'All settings' }),
  /** Returns the option as it is afterwards. On `revision_conflict`, `data` is the current option. */
  save: endpoint('PUT', '/api/option/', {
    access: 'admin',
    audit: { kind: 'setting', action: 'changed' },
    body: OptionInput,
    reply: Option,
    summary: 'Change one setting',
  }),
  /** All or nothing. On `revision_conflict`, `data` is the list of current options that conflict. */
  saveMany: endpoint('PUT', '/api/option/batch', {
    access: 'admin',
    audit: { kind: 'setting', action: 'changed' },
    body: z.object({
      options: z.array(OptionInput).check(z.minLength(1), z.maxLength(200)),
      /** Reason, for the history of these settings. */
      note: z.optional(z.string().check(z.maxLength(200))),
    }),
    reply: z.array(Option),
    summary: 'Change several settings at once',
  }),
  /** Newest first; the oldest of very many are forgotten. */
  history: endpoint('GET', '/api/option/history', {
    access: 'admin',
    query: z.extend(PageQuery, {
      /** Keys with commas between them; none: of all settings. */
      keys: QueryText,
    }),
    reply: pageOf(OptionChange),
    summary: 'Changes of settings',
  }),
  /**
   * Takes a change back by another one, and returns the option after it. If the same was changed since, the error is `revision_conflict`, whose
   * `data` is the current option.
   */
  undo: endpoint('POST', '/api/option/history/:id/undo', {
    access: 'admin',
    audit: { kind: 'setting', action: 'restored' },
    params: z.object({ id: z.string() }),
    reply: Option,
    summary: 'Take back a change of a setting',
  }),
  /** Nothing is changed. What is absent stays as it is saved. */
  priceEffect: endpoint('POST', '/api/option/price_effect', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: z.object({
      ModelPrice: PriceText,
      ModelRatio: PriceText,
      CompletionRatio: PriceText,
      CacheRatio: PriceText,
      CreateCacheRatio: PriceText,
      CreateCache1hRatio: PriceText,
      AudioRatio: PriceText,
      AudioCompletionRatio: PriceText,
      AudioCacheRatio: PriceText,
      ImageRatio: PriceText,
      ImageCompletionRatio: PriceText,
      LongInputPrice: PriceText,
      TierPrice: PriceText,
      VideoPrice: PriceText,
      ToolPrice: PriceText,
      FineTuningPrice: PriceText,
    }),
    reply: PriceEffect,
    summary: 'What the last seven days would have cost at other prices',
  }),
  resetModelRatio: endpoint('POST', '/api/option/rest_model_ratio', {
    access: 'admin',
    audit: { kind: 'price', action: 'changed' },
    summary: 'Restore the default model ratios',
  }),
};
