// Several keys of one channel, each with its state. A key is never sent to a browser, only its ending.
import { z } from 'zod/mini';
import { figureHours } from '#shared/channels.ts';
import { endpoint } from '#shared/contract.ts';

/** Keys of one channel. */
export const mostChannelKeys = 1000;
export const mostKeyWeight = 1_000_000;
export const longestKeyNote = 200;

/**
 * `new`: enabled, and no call was sent with it. `cooling_down`: no call until `cooling_until`. `refused` and `no_balance`: disabled
 * automatically. `disabled`: by hand.
 */
export const keyStates = ['healthy', 'new', 'cooling_down', 'refused', 'no_balance', 'disabled'] as const;
export type KeyState = (typeof keyStates)[number];

export const ChannelKey = z.object({
  /** 0: the only key of a channel, which has its settings in the channel. */
  id: z.int(),
  /** Last characters; empty if the key is too short to show any. */
  ending: z.string(),
  state: z.enum(keyStates),
  /** Upstream's status behind the state: 401, 429 …; 200: the response before left nothing; 0: none. */
  status: z.int(),
  /** Why the key was refused, in the reader's language; empty if it was not. */
  reason: z.string(),
  /** Since when, unix seconds; 0: unknown. */
  since: z.int(),
  /** User who disabled it; empty: none. */
  by: z.string(),
  /** Unix seconds; 0: it does not cool down. */
  cooling_until: z.int(),
  /** Models that it cools down for; empty: all, or it does not cool down. */
  cooling_models: z.array(z.string()),
  weight: z.int(),
  /** Calls in progress that each process sends with it at most; 0: no limit. */
  most_parallel: z.int(),
  note: z.string(),
  created_time: z.int(),
  /** Unix seconds; 0: never. */
  last_used_time: z.int(),
  /** Totals. */
  total_calls: z.int(),
  total_failures: z.int(),
  /** Input and output; 0 for the only key of a channel, whose figures are those of the channel. */
  total_tokens: z.int(),
  /** Of the last 24 hours. */
  calls: z.int(),
  failures: z.int(),
  tokens: z.int(),
  /** Calls and failures of each hour, oldest first. */
  hours: z.array(z.tuple([z.int(), z.int()])).check(z.length(figureHours)),
  /** Other channels that have it too. */
  elsewhere: z.int(),
  revision: z.int(),
});
export type ChannelKey = z.infer<typeof ChannelKey>;

export const ChannelKeySheet = z.object({
  /** When this was so, unix seconds. */
  time: z.int(),
  /** When the first of the hours began, unix seconds. */
  since: z.int(),
  /** The oldest first. */
  keys: z.array(ChannelKey),
  /** Channel that serves the same models if no key is ready; null: there is none. */
  next: z.nullable(z.object({ id: z.int(), name: z.string() })),
});
export type ChannelKeySheet = z.infer<typeof ChannelKeySheet>;

/** What pasted keys are. */
export const KeyIntake = z.object({
  /** Keys that the channel does not have yet. */
  added: z.int(),
  /** Keys that it has, with their position among its keys, from 1. */
  known: z.array(z.object({ line: z.int(), ending: z.string(), position: z.int() })),
  /** Lines that are no key of the channel's type, with the reason in the caller's language. */
  invalid: z.array(z.object({ line: z.int(), reason: z.string() })),
});
export type KeyIntake = z.infer<typeof KeyIntake>;

/** A channel that has a certain key. */
export const KeyPlace = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  channel_type: z.int(),
  /** Of `ChannelStatus`. */
  channel_status: z.int(),
  /** 0: the channel's only key. */
  key_id: z.int(),
  position: z.int(),
  /** Keys of the channel. */
  of: z.int(),
  ending: z.string(),
  state: z.enum(keyStates),
  /** Equal for places of the same key, from 0. */
  group: z.int(),
});
export type KeyPlace = z.infer<typeof KeyPlace>;

export const KeyReplacement = z.object({
  id: z.int(),
  /** Unix seconds. */
  time: z.int(),
  by: z.string(),
  old_ending: z.string(),
  new_ending: z.string(),
  /** Unix seconds until when it can be undone; 0: it cannot. */
  undo_until: z.int(),
  /** Unix seconds; 0: it was not. */
  undone_time: z.int(),
  places: z.array(z.object({ channel_id: z.int(), channel_name: z.string(), key_id: z.int(), state: z.enum(keyStates), calls: z.int() })),
});
export type KeyReplacement = z.infer<typeof KeyReplacement>;

const KeyText = z.string().check(z.minLength(1), z.maxLength(100_000));
const Keys = z.string().check(z.minLength(1), z.maxLength(2_000_000));
const Weight = z.int().check(z.minimum(1), z.maximum(mostKeyWeight));
/** Enabled, or disabled by hand. */
const Status = z.int().check(z.minimum(1), z.maximum(2));
const Ids = z.array(z.int().check(z.minimum(1))).check(z.minLength(1), z.maxLength(mostChannelKeys));
const Id = z.string().check(z.regex(/^\d{1,15}$/));
const ChannelParam = z.object({ id: Id });
const KeyParam = z.object({ id: Id, key: Id });

export const ChannelKeyEdit = z.object({
  weight: z.optional(Weight),
  most_parallel: z.optional(z.int().check(z.minimum(0), z.maximum(1_000_000))),
  note: z.optional(z.string().check(z.maxLength(longestKeyNote))),
  status: z.optional(Status),
  revision: z.optional(z.int()),
});
export type ChannelKeyEdit = z.infer<typeof ChannelKeyEdit>;

export const channelKeyApi = {
  list: endpoint('GET', '/api/channel/:id/keys', {
    access: 'admin',
    params: ChannelParam,
    reply: ChannelKeySheet,
    summary: 'List the keys of a channel with their states, without the keys themselves',
  }),
  check: endpoint('POST', '/api/channel/:id/keys/check', {
    access: 'admin',
    audit: { exempt: 'reads' },
    params: ChannelParam,
    body: z.object({ keys: Keys }),
    reply: KeyIntake,
    summary: 'Say which of pasted keys a channel does not have yet',
  }),
  add: endpoint('POST', '/api/channel/:id/keys', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed', by: 'call', object: 'id' },
    params: ChannelParam,
    body: z.object({ keys: Keys, weight: z.optional(Weight), status: z.optional(Status) }),
    reply: KeyIntake,
    summary: 'Add keys to a channel: one per line, files of credentials, or a JSON array of either',
  }),
  edit: endpoint('PUT', '/api/channel/:id/keys/:key', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed', by: 'call', object: 'id' },
    params: KeyParam,
    body: ChannelKeyEdit,
    reply: ChannelKey,
    summary: 'Change weight, limit, note or status of a key',
  }),
  replace: endpoint('POST', '/api/channel/:id/keys/:key/replace', {
    access: 'admin',
    audit: { kind: 'channel', action: 'key_replaced', by: 'call', object: 'id' },
    params: KeyParam,
    body: z.object({ key: KeyText, revision: z.optional(z.int()) }),
    reply: ChannelKey,
    summary: 'Replace one key of a channel; it begins healthy unless it is disabled by hand',
  }),
  setStatus: endpoint('PUT', '/api/channel/:id/keys', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed', by: 'call', object: 'id' },
    params: ChannelParam,
    body: z.object({ ids: Ids, status: Status }),
    reply: z.int(),
    summary: 'Enable or disable several keys; returns how many were changed',
  }),
  remove: endpoint('POST', '/api/channel/:id/keys/remove', {
    access: 'admin',
    audit: { kind: 'channel', action: 'changed', by: 'call', object: 'id' },
    params: ChannelParam,
    body: z.object({ ids: Ids }),
    reply: z.int(),
    summary: 'Remove keys of a channel, which retains at least one; returns how many',
  }),
  /** `time` is in seconds. A failed test is `success: false` with the same extra. A passed one enables a refused key. */
  test: endpoint('POST', '/api/channel/:id/keys/:key/test', {
    access: 'admin',
    audit: { exempt: 'reads' },
    params: KeyParam,
    body: z.object({ model: z.optional(z.string().check(z.maxLength(255))) }),
    extra: z.object({ time: z.number() }),
    summary: 'Send a small request with one key of a channel',
  }),
  places: endpoint('GET', '/api/channel/:id/keys/:key/places', {
    access: 'admin',
    params: KeyParam,
    reply: z.array(KeyPlace),
    summary: 'List all channels that have this key, this one included',
  }),
  /** `key`: whole, or its last characters, with or without an ellipsis. */
  find: endpoint('POST', '/api/channel/keys/find', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: z.object({ key: KeyText }),
    reply: z.array(KeyPlace),
    summary: 'Find all channels that have a key',
  }),
  /** `from`: a place of the old key. */
  replaceAll: endpoint('POST', '/api/channel/keys/replace', {
    access: 'admin',
    audit: { kind: 'channel', action: 'key_replaced', by: 'call' },
    body: z.object({
      from: z.object({ channel_id: z.int().check(z.minimum(1)), key_id: z.int().check(z.minimum(0)) }),
      channels: Ids,
      key: KeyText,
      enable: z.optional(z.boolean()),
    }),
    reply: KeyReplacement,
    summary: 'Replace a key in several channels at once',
  }),
  replacements: endpoint('GET', '/api/channel/keys/replacements', {
    access: 'admin',
    reply: z.array(KeyReplacement),
    summary: 'List the last replacements of keys',
  }),
  undo: endpoint('POST', '/api/channel/keys/replacements/:id/undo', {
    access: 'admin',
    audit: { kind: 'channel', action: 'key_replaced', by: 'call' },
    params: ChannelParam,
    reply: KeyReplacement,
    summary: 'Take back a replacement of a key, within 24 hours',
  }),
};
