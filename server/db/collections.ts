// Names and indexes of everything stored; what a record looks like is in `records/`, one file each. Wire names are the
// specification's, so records and responses read alike.
import type { IndexSpec } from '#server/db/collection.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { CallRefundRecord } from './records/call-refund.ts';
import type { CallSessionRecord } from './records/call-session.ts';
import type { ChangeRecord } from './records/change.ts';
import type { ChannelSlotRecord } from '#server/db/records/channel-slot.ts';
import type { ChannelHourRecord } from './records/channel-hour.ts';
import type { ChannelRecord } from './records/channel.ts';
import type { ChannelRunRecord } from './records/channel-run.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import type { DeletedChannelRecord } from './records/deleted-channel.ts';
import type { FactRecord } from './records/fact.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { JobRecord } from './records/job.ts';
import type { KeptResponseRecord } from '#server/db/records/kept-response.ts';
import type { LatencyHourRecord } from './records/latency-hour.ts';
import type { LedgerRecord } from './records/ledger-entry.ts';
import type { LeftIdentityRecord } from './records/left-identity.ts';
import type { LimitRecord } from './records/limit.ts';
import type { LogClosingRecord } from './records/log-closing.ts';
import type { LogFoldRecord } from './records/log-fold.ts';
import type { LogHourRecord } from './records/log-hour.ts';
import type { LogRecord } from './records/log.ts';
import type { LogSumRecord } from './records/log-sum.ts';
import type { NotificationRecord } from './records/notification.ts';
import type { OptionChangeRecord } from './records/option-change.ts';
import type { OptionRecord } from './records/option.ts';
import type { OrderRecord } from './records/order.ts';
import type { ProcessRecord } from './records/process.ts';
import type { RedemptionRecord } from './records/redemption.ts';
import type { RefusedRequestRecord } from './records/refused-request.ts';
import type { ResponseHoldingRecord } from '#server/db/records/response-holding.ts';
import type { ResponseItemRecord } from '#server/db/records/response-item.ts';
import type { ResponsePieceRecord } from '#server/db/records/response-piece.ts';
import type { SessionRecord } from './records/session.ts';
import type { SignInAttemptRecord } from './records/sign-in-attempt.ts';
import type { TaskRecord } from './records/task.ts';
import type { TokenRecord } from './records/token.ts';
import type { UsageSumRecord } from './records/usage-sum.ts';
import type { UserRecord } from './records/user.ts';
import type { VerificationCodeRecord } from './records/verification-code.ts';
import type { WatchRecord } from './records/watch.ts';

export interface Records {
  users: UserRecord;
  tokens: TokenRecord;
  channels: ChannelRecord;
  deleted_channels: DeletedChannelRecord;
  channel_hours: ChannelHourRecord;
  channel_slots: ChannelSlotRecord;
  channel_runs: ChannelRunRecord;
  logs: LogRecord;
  refused_requests: RefusedRequestRecord;
  log_hours: LogHourRecord;
  log_sums: LogSumRecord;
  log_folds: LogFoldRecord;
  log_closings: LogClosingRecord;
  usage_sums: UsageSumRecord;
  latency_hours: LatencyHourRecord;
  options: OptionRecord;
  option_changes: OptionChangeRecord;
  redemptions: RedemptionRecord;
  orders: OrderRecord;
  ledger: LedgerRecord;
  left_identities: LeftIdentityRecord;
  sessions: SessionRecord;
  sign_in_attempts: SignInAttemptRecord;
  verification_codes: VerificationCodeRecord;
  processes: ProcessRecord;
  changes: ChangeRecord;
  limits: LimitRecord;
  jobs: JobRecord;
  facts: FactRecord;
  watches: WatchRecord;
  notifications: NotificationRecord;
  tasks: TaskRecord;
  call_refunds: CallRefundRecord;
  call_sessions: CallSessionRecord;
  responses: KeptResponseRecord;
  files: FileRecord;
  batches: BatchRecord;
  response_pieces: ResponsePieceRecord;
  response_items: ResponseItemRecord;
  response_holdings: ResponseHoldingRecord;
  conversations: ConversationRecord;
  conversation_items: ConversationItemRecord;
}

interface CollectionSpec {
  indexes: readonly IndexSpec[];
  /** How many ids are drawn at once. 1 keeps ids dense. */
  idBlock: number;
  /** No indexed field holds true or false, so that sums by indexed fields never look at the records. */
  withoutBooleans?: boolean;
  /** Ids are texts; otherwise whole numbers. */
  textIds?: boolean;
}

const sumFields = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'first_byte_ms', 'duration_ms'] as const;

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
  deleted_channels: { idBlock: 1, indexes: [{ name: 'time', fields: ['deleted_at', 'id'] }] },
  channel_runs: { textIds: true, idBlock: 1, indexes: [] },
  channel_hours: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'] }] },
  channel_slots: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'slot', fields: ['slot', 'id'] },
      { name: 'channel', fields: ['channel_id', 'slot'] },
    ],
  },
  logs: {
    idBlock: 1000,
    indexes: [
      { name: 'settlement', fields: ['process', 'seq'], unique: true, sparse: true },
      { name: 'time', fields: ['created_at', 'id'] },
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'model', fields: ['model_name', 'created_at', 'id'] },
      { name: 'channel', fields: ['channel_id', 'created_at', 'id'] },
      // Of two that serve alike SQLite takes the one that was made first, and with a bound on the time it finds no difference:
      // what leaves fewer rows comes first.
      { name: 'failed_user', fields: ['failed', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'failed', fields: ['failed', 'created_at', 'id'], sparse: true },
      { name: 'cache_broken_user', fields: ['cache_broken', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'cache_broken', fields: ['cache_broken', 'created_at', 'id'], sparse: true },
      { name: 'plain_user', fields: ['plain_type', 'user_id', 'created_at', 'id'], sparse: true },
      { name: 'plain', fields: ['plain_type', 'created_at', 'id'], sparse: true },
      // What people ask most: the calls of one of their keys.
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
  usage_sums: {
    textIds: true,
    withoutBooleans: true,
    idBlock: 1,
    indexes: [
      { name: 'time', fields: ['key', 'start', 'name', ...sumFields] },
      { name: 'name', fields: ['key', 'name', 'start', ...sumFields] },
    ],
  },
  latency_hours: { textIds: true, withoutBooleans: true, idBlock: 1, indexes: [{ name: 'time', fields: ['key', 'start'] }] },
  log_folds: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'], sparse: true }] },
  log_closings: { textIds: true, idBlock: 1, indexes: [] },
  options: { textIds: true, idBlock: 1, indexes: [] },
  option_changes: { idBlock: 1, indexes: [{ name: 'key', fields: ['key', 'id'] }] },
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
      { name: 'state', fields: ['state', 'id'] },
    ],
  },
  left_identities: { textIds: true, idBlock: 1, indexes: [] },
  sessions: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id'] },
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
      // With the bytes, so that they are summed without reading the records.
      { name: 'user', fields: ['user_id', 'created_at', 'id', 'bytes'] },
      { name: 'state', fields: ['state', 'expires_at'] },
    ],
  },
  batches: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'user', fields: ['user_id', 'created_at', 'id'] },
      { name: 'open', fields: ['open_user_id', 'requests'], sparse: true },
      { name: 'poll', fields: ['poll_at', 'id'], sparse: true },
      { name: 'upstream', fields: ['upstream_id', 'key'] },
    ],
  },
  responses: {
    textIds: true,
    idBlock: 1,
    indexes: [
      // With the bytes, so that they are summed without reading the records.
      { name: 'user', fields: ['user_id', 'created_at', 'id', 'bytes'] },
      { name: 'expiry', fields: ['expires_at'] },
      { name: 'place', fields: ['place'], unique: true, sparse: true },
      { name: 'alive', fields: ['alive_until'], sparse: true },
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
  conversation_items: {
    textIds: true,
    idBlock: 1,
    indexes: [{ name: 'conversation', fields: ['conversation_id', 'position'] }],
  },
};
