// Channels by their tags, and changes of many channels at once.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';

/** How many channels one call may change. */
export const bulkLimit = 1000;

const Span = z.tuple([z.int(), z.int()]);

/** All channels of one tag together. */
export const ChannelTag = z.object({
  /** Empty: those without a tag. */
  tag: z.string(),
  /** By priority, then newest first. */
  ids: z.array(z.int()),
  enabled: z.int(),
  disabled_by_hand: z.int(),
  disabled_by_system: z.int(),
  groups: z.array(z.string()),
  used_quota: z.int(),
  /** USD, of those that have reported one; null: none has. */
  balance: z.nullable(z.number()),
  /** Lowest and highest. */
  priority: Span,
  weight: Span,
});
export type ChannelTag = z.infer<typeof ChannelTag>;

const Ids = z.array(z.int().check(z.minimum(1))).check(z.maxLength(bulkLimit));
const Models = z.optional(z.string().check(z.maxLength(100_000)));

/** What is absent stays as it is. Other fields of a channel are refused: an edit that changes nothing is no success. */
export const ChannelBulkEdit = z.strictObject({
  ids: Ids,
  status: z.optional(z.int().check(z.minimum(1), z.maximum(2))),
  priority: z.optional(z.int().check(z.minimum(-999), z.maximum(1_000_000))),
  weight: z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000))),
  auto_ban: z.optional(z.int().check(z.minimum(0), z.maximum(1))),
  /** Empty: no tag any more. */
  tag: z.optional(z.string().check(z.maxLength(1000))),
  groups: z.optional(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(200))),
  /** Comma lists. */
  models_added: Models,
  models_removed: Models,
});
export type ChannelBulkEdit = z.infer<typeof ChannelBulkEdit>;

export const BulkResult = z.object({
  changed: z.int(),
  /** Were so already. */
  same: z.int(),
  /** With the reason, in the caller's language. */
  failed: z.array(z.object({ id: z.int(), message: z.string() })),
});
export type BulkResult = z.infer<typeof BulkResult>;

const TagBody = z.object({ tag: z.optional(z.string().check(z.maxLength(1000))) });

export const channelTagApi = {
  /** All tags with their totals, by name; last those channels that have none. The filters are those of the search. */
  tags: endpoint('GET', '/api/channel/tags', {
    access: 'admin',
    query: z.object({ keyword: QueryText, group: QueryText, model: QueryText }),
    reply: z.array(ChannelTag),
    summary: 'Tags of channels with their totals',
  }),
  /** Without `tag` the tag is removed. Returns the number of channels concerned. */
  setTag: endpoint('POST', '/api/channel/batch/tag', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed' },
    body: z.object({ ids: z.optional(Ids), tag: z.optional(z.string().check(z.maxLength(1000))) }),
    reply: z.int(),
    summary: 'Give several channels a tag',
  }),
  enableTag: endpoint('POST', '/api/channel/tag/enabled', {
    access: 'admin',
    audit: { kind: 'channel', action: 'enabled' },
    body: TagBody,
    reply: z.int(),
    summary: 'Enable all channels of a tag; answers how many changed',
  }),
  disableTag: endpoint('POST', '/api/channel/tag/disabled', {
    access: 'admin',
    audit: { kind: 'channel', action: 'disabled' },
    body: TagBody,
    reply: z.int(),
    summary: 'Disable all channels of a tag; answers how many changed',
  }),
  /** Texts that are empty or absent change nothing, but for `new_tag`: empty, it dissolves the tag. Answers how many changed. */
  editTag: endpoint('PUT', '/api/channel/tag', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed' },
    body: z.object({
      tag: z.optional(z.string().check(z.maxLength(1000))),
      new_tag: z.optional(z.string().check(z.maxLength(1000))),
      priority: z.optional(z.int().check(z.minimum(-999), z.maximum(1_000_000))),
      weight: z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000))),
      model_mapping: z.optional(z.string().check(z.maxLength(100_000))),
      models: z.optional(z.string().check(z.maxLength(100_000))),
      /** A comma list, or a list. */
      groups: z.optional(
        z.union([z.string().check(z.maxLength(100_000)), z.array(z.string().check(z.maxLength(64))).check(z.maxLength(200))]),
      ),
    }),
    reply: z.int(),
    summary: 'Change all channels of a tag',
  }),
  editMany: endpoint('PUT', '/api/channel/batch', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed' },
    body: ChannelBulkEdit,
    reply: BulkResult,
    summary: 'Change several channels alike',
  }),
  /** Answers how many channels had to be mended. */
  repair: endpoint('POST', '/api/channel/fix', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed' },
    reply: z.int(),
    summary: 'Repair stored channels and reload them',
  }),
};
