// Names and indexes of all collections; record types are in `records/`, one file each. Wire names are the
// specification's, so that records and responses read alike.
import { billCollections } from '#server/db/bill-collections.ts';
import { channelCollections } from '#server/db/channel-collections.ts';
import type { Records } from '#server/db/all-records.ts';
import type { IndexSpec } from '#server/db/collection.ts';
import { organisationCollections } from '#server/db/organisation-collections.ts';
import { logSumCollections } from '#server/db/log-sum-collections.ts';

interface CollectionSpec {
  indexes: readonly IndexSpec[];
  /** Number of ids drawn at a time; 1 makes ids dense. */
  idBlock: number;
  /** No indexed field is a boolean, so sums by indexed fields never read records. */
  withoutBooleans?: boolean;
  /** Ids are strings; if undefined, integers. */
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
      { name: 'email_folded', fields: ['email_folded'], unique: true, sparse: true },
      { name: 'github_subject', fields: ['github_subject'], unique: true, sparse: true },
      { name: 'oidc_subject', fields: ['oidc_subject'], unique: true, sparse: true },
      { name: 'wechat_subject', fields: ['wechat_subject'], unique: true, sparse: true },
      { name: 'telegram_subject', fields: ['telegram_subject'], unique: true, sparse: true },
      { name: 'linux_do_subject', fields: ['linux_do_subject'], unique: true, sparse: true },
      { name: 'welcome', fields: ['welcome_at'], sparse: true },
      { name: 'aff_code', fields: ['aff_code'], unique: true, sparse: true },
      { name: 'access_token', fields: ['access_token_hash'], unique: true, sparse: true },
      { name: 'group', fields: ['group', 'id'] },
      { name: 'role', fields: ['role', 'id'] },
      { name: 'transfer', fields: ['transfer_at'], sparse: true },
      { name: 'inviter', fields: ['inviter_id', 'id'] },
      { name: 'invitation', fields: ['invitation_id'], unique: true, sparse: true },
    ],
  },
  tokens: {
    idBlock: 1,
    indexes: [
      { name: 'key', fields: ['key_hash'], unique: true },
      { name: 'old_key', fields: ['old_key_hash'], unique: true, sparse: true },
      { name: 'old_key_2', fields: ['old_key_hash_2'], unique: true, sparse: true },
      { name: 'old_key_3', fields: ['old_key_hash_3'], unique: true, sparse: true },
      { name: 'old_key_4', fields: ['old_key_hash_4'], unique: true, sparse: true },
      { name: 'old_key_5', fields: ['old_key_hash_5'], unique: true, sparse: true },
      { name: 'owner', fields: ['user_id', 'id'] },
      { name: 'member', fields: ['member_id', 'user_id', 'id'], sparse: true },
      { name: 'team', fields: ['team_id', 'id'], sparse: true },
      { name: 'group', fields: ['group', 'id'] },
      { name: 'ending', fields: ['ending', 'id'], sparse: true },
      ...['', '_2', '_3', '_4', '_5'].map((slot) => ({ name: `old_ending${slot}`, fields: [`old_key_ending${slot}`, 'id'], sparse: true })),
      { name: 'moving', fields: ['moving_at', 'id'], sparse: true },
      { name: 'app', fields: ['app_of', 'id'], sparse: true },
      { name: 'managed', fields: ['managed_by'], sparse: true },
    ],
  },
  ...channelCollections,
  logs: {
    idBlock: 1000,
    indexes: [
      { name: 'settlement', fields: ['process', 'seq'], unique: true, sparse: true },
      { name: 'time', fields: ['created_at', 'id'] },
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'model', fields: ['model_name', 'created_at', 'id'] },
      { name: 'channel', fields: ['channel_id', 'created_at', 'id'] },
      // Of two equally suitable indexes, SQLite uses the one created first, and it ignores time bounds: more selective
      // indexes come first.
      { name: 'failed_user', fields: ['failed', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'failed', fields: ['failed', 'created_at', 'id'], sparse: true },
      { name: 'cache_broken_user', fields: ['cache_broken', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'cache_broken', fields: ['cache_broken', 'created_at', 'id'], sparse: true },
      { name: 'plain_user', fields: ['plain_type', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'plain', fields: ['plain_type', 'created_at', 'id'], sparse: true },
      // Serves the most frequent query: calls of one key.
      { name: 'user_token', fields: ['user_id', 'token_name', 'created_at', 'id'] },
      { name: 'token', fields: ['token_name', 'created_at', 'id'] },
      { name: 'group', fields: ['group', 'created_at', 'id'] },
      { name: 'request', fields: ['request_id'], sparse: true },
      { name: 'refusal', fields: ['refusal_key'], unique: true, sparse: true },
      { name: 'session', fields: ['session_key', 'created_at', 'id'], sparse: true },
      { name: 'refunded_session', fields: ['refunded_session', 'id'], sparse: true },
    ],
  },
  refused_requests: { textIds: true, idBlock: 1, indexes: [{ name: 'time', fields: ['created_at', 'id'] }] },
  ...logSumCollections,
  options: { textIds: true, idBlock: 1, indexes: [] },
  // Ids are in the order of time, so each list reads one index.
  audit_entries: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'actor', fields: ['actor', 'id'] },
      { name: 'kind', fields: ['kind', 'id'] },
      { name: 'object', fields: ['object', 'id'] },
      { name: 'pending', fields: ['pending_at', 'id'], sparse: true },
    ],
  },
  option_changes: { idBlock: 1, indexes: [{ name: 'key', fields: ['key', 'id'] }] },
  price_reviews: { textIds: true, idBlock: 1, indexes: [{ name: 'state', fields: ['state', 'id'] }] },
  price_plans: { idBlock: 1, indexes: [{ name: 'due', fields: ['state', 'at', 'id'] }] },
  // The unique index lets one run at a time.
  price_syncs: { idBlock: 1, indexes: [{ name: 'running', fields: ['running'], unique: true, sparse: true }] },
  orders: {
    idBlock: 1,
    indexes: [
      { name: 'trade_no', fields: ['trade_no'], unique: true },
      { name: 'owner', fields: ['user_id', 'id'] },
      { name: 'credit_due', fields: ['credit_due_at'], sparse: true },
    ],
  },
  redemptions: {
    idBlock: 1,
    indexes: [
      { name: 'key', fields: ['key_hash'], unique: true },
      { name: 'listed_status', fields: ['listed', 'status', 'id'], sparse: true },
      { name: 'listed_name', fields: ['listed', 'name', 'id'], sparse: true },
      { name: 'listed', fields: ['listed', 'id'], sparse: true },
      { name: 'credit_due', fields: ['credit_due_at'], sparse: true },
    ],
  },
  ledger: {
    idBlock: 1,
    indexes: [
      { name: 'ref', fields: ['ref'], unique: true },
      { name: 'account', fields: ['account', 'account_id', 'id'] },
      // Includes amounts, so that totals of all accounts are summed without reading records.
      { name: 'time', fields: ['account', 'state', 'created_at', 'kind', 'amount'] },
      { name: 'state', fields: ['state', 'id'] },
    ],
  },
  imports: { idBlock: 1, indexes: [{ name: 'running', fields: ['running'], unique: true, sparse: true }] },
  import_sources: { textIds: true, idBlock: 1, indexes: [] },
  import_rows: { textIds: true, idBlock: 1, indexes: [] },
  invitations: {
    idBlock: 1,
    indexes: [
      { name: 'open_name', fields: ['open_name'], unique: true, sparse: true },
      { name: 'open_mailbox', fields: ['open_mailbox'], unique: true, sparse: true },
      { name: 'token', fields: ['token_hash'], unique: true, sparse: true },
      { name: 'mail_due', fields: ['mail_due_at'], sparse: true },
      { name: 'ended', fields: ['ended_at'], sparse: true },
    ],
  },
  ...organisationCollections,
  left_identities: { textIds: true, idBlock: 1, indexes: [] },
  sessions: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  app_authorizations: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user_code', fields: ['user_code_hash'], unique: true, sparse: true },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  sign_in_attempts: { textIds: true, idBlock: 1, indexes: [{ name: 'expiry', fields: ['expires_at'] }] },
  verification_codes: { textIds: true, idBlock: 1, indexes: [{ name: 'expiry', fields: ['expires_at'] }] },
  processes: { textIds: true, idBlock: 1, indexes: [{ name: 'state', fields: ['state', 'heartbeat_at'] }] },
  changes: { idBlock: 1, indexes: [] },
  limits: { textIds: true, idBlock: 1, indexes: [{ name: 'reset', fields: ['reset_at'] }] },
  jobs: { textIds: true, idBlock: 1, indexes: [] },
  facts: { textIds: true, idBlock: 1, indexes: [] },
  watches: { idBlock: 1, indexes: [{ name: 'expiry', fields: ['expires_at'] }] },
  notifications: {
    idBlock: 1,
    indexes: [
      { name: 'key', fields: ['key'], unique: true },
      { name: 'due', fields: ['state', 'next_at'] },
      { name: 'user', fields: ['user_id', 'id'] },
    ],
  },
  call_sessions: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user_token', fields: ['listed', 'user_id', 'token_name', 'last_at', 'id'], sparse: true },
      { name: 'user', fields: ['listed', 'user_id', 'last_at', 'id'], sparse: true },
      { name: 'time', fields: ['listed', 'last_at', 'id'], sparse: true },
      { name: 'session', fields: ['session', 'last_at', 'id'] },
      { name: 'seen', fields: ['seen_at', 'id'] },
    ],
  },
  budget_periods: {
    idBlock: 1,
    indexes: [
      // Lets one process open the next period.
      { name: 'key', fields: ['key', 'number'], unique: true },
      // Lets one of concurrent requests make a reset.
      { name: 'reset', fields: ['reset_as'], unique: true, sparse: true },
      { name: 'token', fields: ['token_id', 'id'] },
      { name: 'user', fields: ['user_id', 'id'] },
      { name: 'active', fields: ['active', 'ends_at', 'id'], sparse: true },
      { name: 'starting', fields: ['starts_at', 'id'] },
    ],
  },
  call_refunds: { idBlock: 1, indexes: [{ name: 'due', fields: ['due_at'], sparse: true }] },
  tasks: {
    idBlock: 1,
    indexes: [
      { name: 'time', fields: ['listed', 'created_at', 'id'] },
      { name: 'user', fields: ['user_id', 'platform', 'created_at', 'id'] },
      { name: 'channel', fields: ['channel_id', 'platform', 'created_at', 'id'] },
      { name: 'status', fields: ['status', 'platform', 'created_at', 'id'] },
      { name: 'action', fields: ['action', 'platform', 'created_at', 'id'] },
      { name: 'upstream', fields: ['upstream_id', 'id'], sparse: true },
      { name: 'public', fields: ['public_id'], unique: true, sparse: true },
      { name: 'accepted', fields: ['accepted_key'], unique: true, sparse: true },
      { name: 'running', fields: ['running_user_id'], sparse: true },
      { name: 'poll', fields: ['poll_at', 'id'], sparse: true },
      { name: 'check', fields: ['check_at', 'id'], sparse: true },
      { name: 'refund', fields: ['refund_due_at', 'id'], sparse: true },
    ],
  },
  files: {
    textIds: true,
    idBlock: 1,
    indexes: [
      // Includes bytes, so that they are summed without reading records.
      { name: 'user', fields: ['user_id', 'created_at', 'id', 'bytes'] },
      { name: 'state', fields: ['state', 'expires_at'] },
      { name: 'upstream', fields: ['upstream_id', 'key'] },
    ],
  },
  // The unique index lets one run at a time.
  backups: { idBlock: 1, indexes: [{ name: 'running', fields: ['running'], unique: true, sparse: true }] },
  ...billCollections,
  batches: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'open', fields: ['open_user_id', 'requests'], sparse: true },
      { name: 'poll', fields: ['poll_at', 'id'], sparse: true },
      { name: 'state', fields: ['state', 'poll_at'] },
      { name: 'upstream', fields: ['upstream_id', 'key'] },
    ],
  },
  vector_stores: {
    textIds: true,
    idBlock: 1,
    indexes: [
      // Includes bytes, so that they are summed without reading records.
      { name: 'user', fields: ['user_id', 'created_at', 'id', 'claimed_bytes'] },
      { name: 'poll', fields: ['poll_at', 'id'] },
    ],
  },
  context_caches: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'poll', fields: ['poll_at', 'id'] },
    ],
  },
  session_minutes: { textIds: true, idBlock: 1, indexes: [{ name: 'check', fields: ['check_at', 'id'] }] },
  tuning_jobs: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'open', fields: ['open_user_id'], sparse: true },
      { name: 'poll', fields: ['poll_at', 'id'], sparse: true },
    ],
  },
  tuned_models: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'state', fields: ['state', 'id'] },
    ],
  },
  responses: {
    textIds: true,
    idBlock: 1,
    indexes: [
      // Includes bytes, so that they are summed without reading records.
      { name: 'user', fields: ['user_id', 'created_at', 'id', 'bytes'] },
      { name: 'expiry', fields: ['expires_at'] },
      { name: 'place', fields: ['place'], unique: true, sparse: true },
      { name: 'alive', fields: ['alive_until'], sparse: true },
      { name: 'ending', fields: ['has_ending'], sparse: true },
    ],
  },
  response_pieces: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'response', fields: ['response_id', 'kind', 'number'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  response_items: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'response', fields: ['response_id'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  response_holdings: { idBlock: 1, indexes: [] },
  conversations: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'expires_at', 'id', 'bytes'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  idempotent_calls: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'state'] },
      { name: 'expiry', fields: ['expires_at'] },
    ],
  },
  conversation_items: {
    textIds: true,
    idBlock: 1,
    indexes: [{ name: 'conversation', fields: ['conversation_id', 'position'] }],
  },
};
