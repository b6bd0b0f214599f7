// Names, shapes and indexes of everything stored. Wire names are the specification's, so records and answers read alike.
import type { GuidedRefusal } from '#shared/first-call.ts';
import type { IndexSpec } from '#server/db/collection.ts';

/**
 * What `server/money/ledger.ts` keeps in the record of whoever has a balance. The balance is `quota` (or `remain_quota`)
 * plus all leases. `applied` is the sequence number of each process' last settled log row. Nothing else writes these.
 */
export interface MoneyFields {
  /** Process id → quota that this process may spend without asking. */
  leases: Record<string, number>;
  applied: Record<string, number>;
  /**
   * Process id → the newest term of its lease. Every write that changes the lease names the term that it was sent in, so one
   * that failed without a known outcome cannot be carried out once its process has begun another. Absent until the first lease.
   */
  terms?: Record<string, number>;
  /** Ledger entries that have been applied to this record (`e<id>`), kept for a while so that none is applied twice. */
  marks: Record<string, number>;
  /** Balance right after the last credit: the full mark of the level. */
  full_mark: number;
}

export interface UserRecord extends MoneyFields {
  id: number;
  username: string;
  /** The name without its letters' case: no two names differ by that alone. Absent in records of earlier versions until a job adds it. */
  username_folded?: string;
  password_hash: string;
  display_name: string;
  role: number;
  status: number;
  email: string;
  github_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  /** Keyed hash of the system access token; absent when there is none. */
  access_token_hash?: string;
  quota: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code?: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  /** RFC 3339 time of deletion, null while the account lives. */
  DeletedAt: string | null;
  /** JSON text of the user's own settings, or empty. */
  setting: string;
  created_time: number;
  revision: number;
}

export interface TokenRecord extends MoneyFields {
  id: number;
  user_id: number;
  name: string;
  /** Keyed hash of the 48-character key, for look-up. */
  key_hash: string;
  /** The key itself, encrypted; only its owner's own list returns it. */
  key_cipher: string;
  status: number;
  created_time: number;
  accessed_time: number;
  /** Unix seconds, -1: never. */
  expired_time: number;
  remain_quota: number;
  unlimited_quota: boolean;
  /** All that its calls used. */
  used_quota: number;
  /** What of that was taken from its own balance: while it was unlimited, nothing was. Absent until the first charge. */
  charged_quota?: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  DeletedAt: string | null;
  revision: number;
}

export interface ChannelRecord {
  id: number;
  type: number;
  name: string;
  key_cipher: string;
  /** Keyed hash of the key, for search by equality. */
  key_hash: string;
  openai_organization: string;
  test_model: string;
  /** 1 enabled, 2 disabled by hand, 3 disabled automatically. */
  status: number;
  weight: number;
  priority: number;
  created_time: number;
  test_time: number;
  /** Milliseconds of the last test. */
  response_time: number;
  /** Why the last test failed; absent or empty: it passed, or there was none. */
  test_error?: string;
  base_url: string;
  other: string;
  /** USD. */
  balance: number;
  balance_updated_time: number;
  /** Comma lists, as on the wire. */
  models: string;
  group: string;
  used_quota: number;
  /** JSON texts, or empty. */
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  other_info: string;
  auto_ban: number;
  tag: string;
  max_input_tokens: number;
  revision: number;
}

/** What was called through one channel in one hour; `server/upstream/channel-figures.ts` counts. Kept for two days. */
export interface ChannelHourRecord {
  /** `<channel>:<hour>`. */
  id: string;
  channel_id: number;
  /** When the hour began, unix seconds. */
  hour: number;
  calls: number;
  /** Calls that failed because of the channel. */
  failures: number;
  /** `ms_<from>` → first bytes that took at least that many milliseconds and less than the next. */
  first_byte: Record<string, number>;
  /** The sums of the same, in milliseconds. Hours of earlier versions have none. */
  first_byte_ms?: Record<string, number>;
}

export interface LogRecord {
  id: number;
  user_id: number;
  /** Unix seconds. */
  created_at: number;
  /** 1 top-up, 2 consumption, 3 management, 4 system, 5 refusal. */
  type: number;
  /**
   * `type` again, only on rows that are not consumption: nearly all rows are, so the others have a small index of their own.
   */
  plain_type?: number;
  /** Absent on rows of calls, where `other` says the same. */
  content?: string;
  username: string;
  token_name: string;
  model_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Whole seconds. */
  use_time: number;
  is_stream: boolean;
  channel_id: number;
  token_id: number;
  group: string;
  /** `reference/relay.md` 5.11 and what `shared/logs.ts` adds; sent to clients as JSON text. */
  other: Record<string, unknown> | null;
  request_id?: string;
  /** Settlement: which process wrote the row, and its running number there. Only on rows that charge. */
  process?: string;
  seq?: number;
  /** What was taken from the token's own balance: `quota`, or 0 for an unlimited token. */
  token_quota?: number;
  /** Not listed, because consumption logs are switched off; kept because the books need it. */
  hidden?: boolean;
  /** On rows of calls that did not end well. Rows of earlier versions get it when their hour is folded. */
  failed?: 1;
  /** Only on rows of refused calls: user, token, reason and minute. */
  refusal_key?: string;
}

/** By the request id that its caller got, the row that a refused call is counted in. */
export interface RefusedRequestRecord {
  id: string;
  log_id: number;
  /** Unix seconds. */
  created_at: number;
}

/** What calls came to. */
export interface CallSums {
  calls: number;
  /** Calls that did not end well. */
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  /** Milliseconds, of the calls that ended well. */
  first_byte_ms: number;
  duration_ms: number;
}

/** The calls of one hour by everything that tells them apart; `server/logs/fold-log.ts` makes them of the rows. */
export interface LogHourRecord extends CallSums {
  /** `hourPrefix(hour)` and a digest of the fields below. */
  id: string;
  /** When the hour began, unix seconds. */
  hour: number;
  user_id: number;
  token_id: number;
  token_name: string;
  model_name: string;
  channel_id: number;
  group: string;
  /** Sums of rows that are not listed. */
  hidden: boolean;
  /** Of calls that did not end well. */
  failed: boolean;
}

/** Coarser sums of the same, for one `key` of `server/logs/rollup-shape.ts`. */
export interface LogSumRecord extends CallSums {
  id: string;
  key: string;
  /** When the hour or the day (UTC) began, unix seconds. */
  start: number;
  model_name: string;
  channel_id: number;
  group: string;
  hidden: boolean;
  failed: boolean;
}

/** How far the log is folded (`head`), and which folded hours have changed since (the others). */
export interface LogFoldRecord {
  id: string;
  /** Head: the hours before this one are folded. */
  until?: number;
  /** Head: the days before this one are. */
  days_until?: number;
  /** Head: grows before folded hours are written anew. */
  generation?: number;
  /** Head: where checking goes on. */
  checked?: number;
  /** Head: rows before this moment may be of an earlier version. */
  since?: number;
  /** A changed hour, and when that was announced, in milliseconds. */
  hour?: number;
  marked_at?: number;
}

export interface OptionRecord {
  /** The option's key. */
  id: string;
  /** The value as text; secrets encrypted. */
  value: string;
  revision: number;
  updated_at: number;
  updated_by: number;
}

/** Everything that changes a balance and is not a relayed call. */
export interface LedgerRecord {
  id: number;
  /** Unique: what happened, e.g. `setup`, `edit:<uuid>`, `redemption:17`. */
  ref: string;
  account: 'user' | 'token';
  account_id: number;
  /** Quota, signed. */
  amount: number;
  kind: string;
  created_at: number;
  actor_id: number;
  process: string;
  state: 'open' | 'done' | 'void';
}

export interface SessionRecord {
  /** Hash of the cookie's value. */
  id: string;
  user_id: number;
  created_at: number;
  seen_at: number;
  expires_at: number;
  ip: string;
  user_agent: string;
}

/** A running server process; see `server/money/recovery/server-process.ts`. */
export interface ProcessRecord {
  id: string;
  host: string;
  pid: number;
  started_at: number;
  heartbeat_at: number;
  state: 'alive' | 'recovering' | 'settled';
  /** All rows of this process up to this number are applied to every account. */
  settled_seq: number;
  /** Who settles the books of a process that died. */
  settler?: { host: string; pid: number };
  /**
   * Once the books of a process were taken from it: up to which number its rows count, and which below were not there. Rows
   * beyond are charged to nobody.
   */
  closed_seq?: number;
  missing_seqs?: readonly number[];
}

/** One row per edit of a cached record; every process follows it. `id` grows. */
export interface ChangeRecord {
  id: number;
  kind: ChangeKind;
  key: number | string;
  /** Milliseconds. */
  at: number;
}

export type ChangeKind = 'user' | 'token' | 'channel' | 'option' | 'lease' | 'watch';

/** Counters of limits and attempts; a window ends at `reset_at` (milliseconds). */
export interface LimitRecord {
  id: string;
  count: number;
  reset_at: number;
}

export interface JobRecord {
  id: string;
  owner: string;
  expires_at: number;
  last_run_at: number;
}

/** Small facts about the installation, e.g. `setup`. */
export interface FactRecord {
  id: string;
  value: unknown;
}

/** Somebody who waits for a first call; the id is the user's. */
export interface WatchRecord {
  id: number;
  /** Calls with unknown keys from there are shown too; empty: none. */
  address: string;
  /** Milliseconds. */
  expires_at: number;
  /** The newest. */
  refusal: GuidedRefusal | null;
}

export interface Records {
  users: UserRecord;
  tokens: TokenRecord;
  channels: ChannelRecord;
  channel_hours: ChannelHourRecord;
  logs: LogRecord;
  refused_requests: RefusedRequestRecord;
  log_hours: LogHourRecord;
  log_sums: LogSumRecord;
  log_folds: LogFoldRecord;
  options: OptionRecord;
  ledger: LedgerRecord;
  sessions: SessionRecord;
  processes: ProcessRecord;
  changes: ChangeRecord;
  limits: LimitRecord;
  jobs: JobRecord;
  facts: FactRecord;
  watches: WatchRecord;
}

interface CollectionSpec {
  indexes: readonly IndexSpec[];
  /** How many ids are drawn at once. 1 keeps ids dense. */
  idBlock: number;
  /** Ids are texts; otherwise whole numbers. */
  textIds?: boolean;
}

type IdKind<Id> = Id extends string ? { textIds: true } : { textIds?: false };

export const collections: { [Name in keyof Records]: CollectionSpec & IdKind<Records[Name]['id']> } = {
  users: {
    idBlock: 1,
    indexes: [
      { name: 'username', fields: ['username'], unique: true },
      { name: 'username_folded', fields: ['username_folded'], unique: true, sparse: true },
      { name: 'email', fields: ['email'] },
      { name: 'aff_code', fields: ['aff_code'], unique: true, sparse: true },
      { name: 'access_token', fields: ['access_token_hash'], unique: true, sparse: true },
      { name: 'group', fields: ['group', 'id'] },
      { name: 'role', fields: ['role', 'id'] },
    ],
  },
  tokens: {
    idBlock: 1,
    indexes: [
      { name: 'key', fields: ['key_hash'], unique: true },
      { name: 'owner', fields: ['user_id', 'id'] },
    ],
  },
  channels: {
    idBlock: 1,
    indexes: [
      { name: 'priority', fields: ['-priority', '-id'] },
      { name: 'tag', fields: ['tag', 'id'] },
      { name: 'key', fields: ['key_hash'] },
    ],
  },
  channel_hours: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'] }] },
  logs: {
    idBlock: 1000,
    indexes: [
      { name: 'settlement', fields: ['process', 'seq'], unique: true, sparse: true },
      { name: 'time', fields: ['created_at', 'id'] },
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'model', fields: ['model_name', 'created_at', 'id'] },
      { name: 'channel', fields: ['channel_id', 'created_at', 'id'] },
      { name: 'token', fields: ['token_name', 'created_at', 'id'] },
      { name: 'group', fields: ['group', 'created_at', 'id'] },
      // Those by user first: of two that serve alike SQLite takes the one that was made first, and with a bound on the time it
      // finds no difference.
      { name: 'failed_user', fields: ['failed', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'failed', fields: ['failed', 'created_at', 'id'], sparse: true },
      { name: 'plain_user', fields: ['plain_type', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'plain', fields: ['plain_type', 'created_at', 'id'], sparse: true },
      { name: 'request', fields: ['request_id'], sparse: true },
      { name: 'refusal', fields: ['refusal_key'], unique: true, sparse: true },
    ],
  },
  refused_requests: { textIds: true, idBlock: 1, indexes: [{ name: 'time', fields: ['created_at', 'id'] }] },
  // The indexes hold all that statistics ask for, so that they are summed without reading the records.
  log_hours: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
      { name: 'token', fields: ['token_name', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
      { name: 'user_token', fields: ['user_id', 'token_name', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
    ],
  },
  log_sums: {
    textIds: true,
    idBlock: 1,
    indexes: [{ name: 'key', fields: ['key', 'start', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] }],
  },
  log_folds: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'], sparse: true }] },
  options: { textIds: true, idBlock: 1, indexes: [] },
  ledger: {
    idBlock: 1,
    indexes: [
      { name: 'ref', fields: ['ref'], unique: true },
      { name: 'account', fields: ['account', 'account_id', 'id'] },
      { name: 'state', fields: ['state', 'id'] },
    ],
  },
  sessions: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  processes: { textIds: true, idBlock: 1, indexes: [{ name: 'state', fields: ['state', 'heartbeat_at'] }] },
  changes: { idBlock: 1, indexes: [{ name: 'time', fields: ['at'] }] },
  limits: { textIds: true, idBlock: 1, indexes: [{ name: 'reset', fields: ['reset_at'] }] },
  jobs: { textIds: true, idBlock: 1, indexes: [] },
  facts: { textIds: true, idBlock: 1, indexes: [] },
  watches: { idBlock: 1, indexes: [{ name: 'expiry', fields: ['expires_at'] }] },
};
