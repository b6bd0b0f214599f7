import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryPage } from '#shared/paging.ts';
import { QueryBoolean, QueryText } from '#shared/query-values.ts';

/** How many channels one call may create. */
export const channelBatchLimit = 1000;

/** How many channels one call may delete or restore. */
const channelSetLimit = 10_000;

export const ChannelStatus = { enabled: 1, disabledByHand: 2, disabledBySystem: 3 } as const;

/** What becomes of a whole response whose client has left: it is read to its end and charged exactly, or ended and estimated. */
export const clientGoneChoices = ['drain', 'abort'] as const;

/** A channel as administrators see it: the key never leaves the server (`key` is always empty). */
export const Channel = z.object({
  id: z.int(),
  type: z.int(),
  name: z.string(),
  key: z.literal(''),
  openai_organization: z.string(),
  test_model: z.string(),
  status: z.int(),
  weight: z.int(),
  priority: z.int(),
  created_time: z.int(),
  test_time: z.int(),
  /** Milliseconds of the last test, 0: untested. */
  response_time: z.int(),
  /** Why the last test failed, in the language of the user who started it; empty: it passed, or there was none. */
  test_error: z._default(z.string(), ''),
  /** The model of the last test; empty: there was none, or none that noted it. */
  tested_model: z._default(z.string(), ''),
  base_url: z.string(),
  other: z.string(),
  balance: z.number(),
  balance_updated_time: z.int(),
  /** The balance after its last rise. */
  balance_full: z._default(z.number(), 0),
  /** Why the last question for it failed; empty: it did not, or there was none. */
  balance_error: z._default(z.string(), ''),
  models: z.string(),
  group: z.string(),
  groups: z.array(z.string()),
  used_quota: z.int(),
  model_mapping: z.string(),
  status_code_mapping: z.string(),
  setting: z.string(),
  param_override: z.string(),
  /** JSON text: `status_reason`, `status_time` (seconds), `status_by`. */
  other_info: z.string(),
  auto_ban: z.int(),
  tag: z.string(),
  /** Note of administrators. Absent from servers that know none. */
  remark: z.optional(z.string()),
  max_input_tokens: z.int(),
  revision: z.int(),
  /** File of settings as code that manages it; absent: none. */
  managed_by: z.optional(z.string()),
  /** What that file leaves to the console: `status`, `key`. Absent if no file manages it. */
  managed_left: z.optional(z.array(z.string())),
});
export type Channel = z.infer<typeof Channel>;

/** Hours that figures go back, the one that has just begun among them. */
export const figureHours = 24;
export const hourSeconds = 3_600;

/** How a channel did lately. Requests that are bad and clients that leave are no failures. */
export const ChannelFigures = z.object({
  id: z.int(),
  /** Attempts that were answered, or failed there. */
  calls: z.int(),
  /** Those of them that failed because of the channel. */
  failures: z.int(),
  /** Median milliseconds until the first byte of a response; null: there was no response. */
  first_byte_ms: z.nullable(z.int()),
  /** Of the prompts of settled calls, and of those what came from the provider's cache. */
  prompt_tokens: z._default(z.int(), 0),
  cached_tokens: z._default(z.int(), 0),
  /** Calls and failures of each hour, oldest first. */
  hours: z.array(z.tuple([z.int(), z.int()])).check(z.length(figureHours)),
});
export type ChannelFigures = z.infer<typeof ChannelFigures>;

export const ChannelFigureSheet = z.object({
  /** When this was so, unix seconds. */
  time: z.int(),
  /** When the first of the hours began, unix seconds. */
  since: z.int(),
  /** Channels without a call are absent. */
  channels: z.array(ChannelFigures),
});
export type ChannelFigureSheet = z.infer<typeof ChannelFigureSheet>;

/** An enabled channel that does not do what it is there for. */
export const FailingChannel = z.object({
  id: z.int(),
  name: z.string(),
  /** `calls`: they fail now. `test`: the last test failed. `settings`: no call can be made with what is stored. */
  by: z.enum(['calls', 'test', 'settings']),
  /** HTTP status of the last failure; 200: what came is no response; 0: nothing came, or it is a test that failed. */
  status: z.int(),
  /** What the test failed with, or what is wrong with the settings; '' for calls. */
  problem: z.string(),
  /** Since when, unix seconds. */
  since: z.int(),
  /** Calls since then, and those that failed. */
  calls: z.int(),
  failures: z.int(),
  /** Models that no other enabled channel has. */
  sole_models: z.int(),
});
export type FailingChannel = z.infer<typeof FailingChannel>;

/** Status summary of all channels for administrators: polled every half minute, so it stays small. */
export const ChannelSummary = z.object({ enabled: z.int(), disabled_by_hand: z.int(), disabled_by_system: z.int() });
export type ChannelSummary = z.infer<typeof ChannelSummary>;

const OptionalText = z.nullish(z.string().check(z.maxLength(100_000)));
/** What an administrator may write; anything else that a client sends back is ignored. */
const channelFields = {
  type: z.optional(z.int().check(z.minimum(1), z.maximum(1000))),
  name: z.optional(z.string().check(z.maxLength(200))),
  /** One key per line creates one channel per key; empty on an edit: unchanged. */
  key: z.nullish(z.string().check(z.maxLength(1_000_000))),
  openai_organization: OptionalText,
  test_model: OptionalText,
  status: z.optional(z.int().check(z.minimum(1), z.maximum(3))),
  weight: z.nullish(z.int().check(z.minimum(0), z.maximum(1_000_000))),
  priority: z.nullish(z.int().check(z.minimum(-999), z.maximum(1_000_000))),
  base_url: OptionalText,
  other: OptionalText,
  models: OptionalText,
  group: OptionalText,
  groups: z.nullish(z.array(z.string().check(z.maxLength(64)))),
  model_mapping: OptionalText,
  status_code_mapping: OptionalText,
  setting: OptionalText,
  param_override: OptionalText,
  auto_ban: z.nullish(z.int().check(z.minimum(0), z.maximum(1))),
  tag: OptionalText,
  remark: OptionalText,
  max_input_tokens: z.nullish(z.int().check(z.minimum(0), z.maximum(100_000_000))),
};

export const ChannelCreate = z.object({
  ...channelFields,
  /** Take the key over from this channel instead of sending one. */
  copy_from: z.optional(z.int().check(z.minimum(1))),
});
export type ChannelCreate = z.infer<typeof ChannelCreate>;
export const ChannelEdit = z.object({ ...channelFields, id: z.int().check(z.minimum(1)), revision: z.optional(z.int()) });
export type ChannelEdit = z.infer<typeof ChannelEdit>;

/**
 * The form of a channel that is not saved yet, for trying it out. `id`: the channel that is edited; without a key its own is
 * used. Of several keys the first is tried.
 */
export const ChannelDraft = z.object({
  ...channelFields,
  id: z.optional(z.int().check(z.minimum(1))),
  /** The model to test; none: the form's test model, else its first one. */
  model: z.optional(z.string().check(z.maxLength(255))),
});
export type ChannelDraft = z.infer<typeof ChannelDraft>;

/** A model in the list form of OpenAI. */
const ModelObject = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
  permission: z.readonly(z.array(z.unknown())),
  root: z.string(),
  parent: z.null(),
});

/** What was deleted by this call, and is restored by it. */
const DeletedSet = z.object({ ids: z.array(z.int()) });

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });

export const channelApi = {
  /** `p` counts from 0; old clients read the bare array, `total` is a further top-level key. */
  list: endpoint('GET', '/api/channel/', {
    access: 'admin',
    /** `tag_mode`: pages are of tags, and hold all channels of theirs; those without a tag come last. */
    query: z.object({ p: QueryPage, page_size: QueryPage, id_sort: QueryBoolean, tag_mode: QueryBoolean }),
    reply: z.array(Channel),
    extra: z.object({ total: z.int(), total_is_lower_bound: z.optional(z.boolean()) }),
    summary: 'List channels',
  }),
  search: endpoint('GET', '/api/channel/search', {
    access: 'admin',
    /** `tag_mode`: all channels of every tag that one of those found has. */
    query: z.object({
      keyword: QueryText,
      group: QueryText,
      model: QueryText,
      tag: QueryText,
      id_sort: QueryBoolean,
      tag_mode: QueryBoolean,
    }),
    reply: z.array(Channel),
    summary: 'Search channels by id, name, key, model, group and tag',
  }),
  figures: endpoint('GET', '/api/channel/figures', {
    access: 'admin',
    reply: ChannelFigureSheet,
    summary: 'Calls, failures and median time to the first byte of every channel in the last 24 hours',
  }),
  failing: endpoint('GET', '/api/channel/failing', {
    access: 'admin',
    reply: z.array(FailingChannel),
    summary: 'Enabled channels that fail: in the calls of the last quarter of an hour, or in their last test',
  }),
  summary: endpoint('GET', '/api/channel/summary', {
    access: 'admin',
    reply: ChannelSummary,
    summary: 'How many channels were disabled automatically',
  }),
  read: endpoint('GET', '/api/channel/:id', { access: 'admin', params: IdParam, reply: Channel, summary: 'Read a channel' }),
  /** Returns the ids of the new channels. */
  create: endpoint('POST', '/api/channel/', {
    access: 'admin',
    audit: { kind: 'channel', action: 'created' },
    body: ChannelCreate,
    reply: z.array(z.int()),
    summary: 'Create channels',
  }),
  edit: endpoint('PUT', '/api/channel/', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed' },
    body: ChannelEdit,
    reply: Channel,
    summary: 'Change a channel',
  }),
  remove: endpoint('DELETE', '/api/channel/:id', {
    access: 'admin',
    audit: { kind: 'channel', action: 'deleted' },
    params: IdParam,
    summary: 'Delete a channel',
  }),
  removeMany: endpoint('POST', '/api/channel/batch', {
    access: 'admin',
    audit: { kind: 'channel', action: 'deleted' },
    body: z.object({ ids: z.array(z.int().check(z.minimum(1))).check(z.maxLength(channelSetLimit)) }),
    reply: z.int(),
    extra: DeletedSet,
    summary: 'Delete several channels; returns how many',
  }),
  removeDisabled: endpoint('DELETE', '/api/channel/disabled', {
    access: 'admin',
    audit: { kind: 'channel', action: 'deleted' },
    reply: z.int(),
    extra: DeletedSet,
    summary: 'Delete all disabled channels; returns how many',
  }),
  /** For as long as `restorableSeconds`; returns how many are there again. */
  restoreMany: endpoint('POST', '/api/channel/restore', {
    access: 'admin',
    audit: { kind: 'channel', action: 'restored' },
    body: z.object({ ids: z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(channelSetLimit)) }),
    reply: z.int(),
    summary: 'Take back a deletion just made of channels',
  }),
  /** `time` is in seconds. A failed test is `success: false` with the same extra. */
  test: endpoint('GET', '/api/channel/test/:id', {
    access: 'admin',
    audit: { exempt: 'reads' },
    params: IdParam,
    query: z.object({ model: QueryText }),
    extra: z.object({ time: z.number() }),
    changesState: true,
    summary: 'Send a small request through a channel',
  }),
  /** As `test`, with what an unsaved form holds. It writes a row in the log; a channel that is then created as tested begins with the result. */
  testDraft: endpoint('POST', '/api/channel/test', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: ChannelDraft,
    extra: z.object({ time: z.number() }),
    summary: 'Send a small request through a channel that is not saved yet',
  }),
  /** Every model that is built in, sorted by name. */
  models: endpoint('GET', '/api/channel/models', {
    access: 'admin',
    reply: z.array(ModelObject),
    summary: 'All built-in models',
  }),
  /** What the provider of a saved channel says that it has. */
  fetchModels: endpoint('GET', '/api/channel/fetch_models/:id', {
    access: 'admin',
    audit: { exempt: 'reads' },
    params: IdParam,
    reply: z.array(z.string()),
    changesState: true,
    summary: 'Ask the provider of a channel for its models',
  }),
  /** The same for a form that is not saved yet; old clients send `base_url`, `type` and `key`. */
  fetchDraftModels: endpoint('POST', '/api/channel/fetch_models', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: ChannelDraft,
    reply: z.array(z.string()),
    summary: 'Ask the provider of a channel that is not saved yet for its models',
  }),
  /** Names of the models of enabled channels. */
  modelsEnabled: endpoint('GET', '/api/channel/models_enabled', {
    access: 'admin',
    reply: z.array(z.string()),
    summary: 'Models that enabled channels offer',
  }),
};
