// Channels by their tags, and changes of many channels at once.
import { z } from 'zod';
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
  balance: z.number().nullable(),
  /** Lowest and highest. */
  priority: Span,
  weight: Span,
});
export type ChannelTag = z.infer<typeof ChannelTag>;

const Ids = z.array(z.int().min(1)).max(bulkLimit);
const Models = z.string().max(100_000).optional();

/** What is absent stays as it is. */
export const ChannelBulkEdit = z.object({
  ids: Ids,
  status: z.int().min(1).max(2).optional(),
  priority: z.int().min(-999).max(1_000_000).optional(),
  weight: z.int().min(0).max(1_000_000).optional(),
  auto_ban: z.int().min(0).max(1).optional(),
  /** Empty: no tag any more. */
  tag: z.string().max(1000).optional(),
  groups: z.array(z.string().max(64)).max(200).optional(),
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

const TagBody = z.object({ tag: z.string().max(1000).optional() });

export const channelTagApi = {
  /** All tags with their totals, by name; last those channels that have none. The filters are those of the search. */
  tags: endpoint('GET', '/api/channel/tags', {
    access: 'admin',
    query: z.object({ keyword: QueryText, group: QueryText, model: QueryText }),
    reply: z.array(ChannelTag),
    summary: 'Tags of channels with their totals',
  }),
  /** Without a tag it is taken away. Answers how many channels are meant. */
  setTag: endpoint('POST', '/api/channel/batch/tag', {
    access: 'admin',
    body: z.object({ ids: Ids.optional(), tag: z.string().max(1000).optional() }),
    reply: z.int(),
    summary: 'Give several channels a tag',
  }),
  enableTag: endpoint('POST', '/api/channel/tag/enabled', {
    access: 'admin',
    body: TagBody,
    reply: z.int(),
    summary: 'Enable all channels of a tag; answers how many changed',
  }),
  disableTag: endpoint('POST', '/api/channel/tag/disabled', {
    access: 'admin',
    body: TagBody,
    reply: z.int(),
    summary: 'Disable all channels of a tag; answers how many changed',
  }),
  /** Texts that are empty or absent change nothing, but for `new_tag`: empty, it dissolves the tag. Answers how many changed. */
  editTag: endpoint('PUT', '/api/channel/tag', {
    access: 'admin',
    body: z.object({
      tag: z.string().max(1000).optional(),
      new_tag: z.string().max(1000).optional(),
      priority: z.int().min(-999).max(1_000_000).optional(),
      weight: z.int().min(0).max(1_000_000).optional(),
      model_mapping: z.string().max(100_000).optional(),
      models: z.string().max(100_000).optional(),
      /** A comma list, or a list. */
      groups: z.union([z.string().max(100_000), z.array(z.string().max(64)).max(200)]).optional(),
    }),
    reply: z.int(),
    summary: 'Change all channels of a tag',
  }),
  editMany: endpoint('PUT', '/api/channel/batch', {
    access: 'admin',
    body: ChannelBulkEdit,
    reply: BulkResult,
    summary: 'Change several channels alike',
  }),
  /** Answers how many channels had to be mended. */
  repair: endpoint('POST', '/api/channel/fix', {
    access: 'admin',
    reply: z.int(),
    summary: 'Mend stored channels and read them anew',
  }),
};
