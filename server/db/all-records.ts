// Record type of each collection.
import type { AppAuthorizationRecord } from '#server/db/records/app-authorization.ts';
import type { AuditEntryRecord } from '#server/db/records/audit-entry.ts';
import type { BackupRecord } from '#server/db/records/backup.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import type {
  BillAccountRecord,
  BillDayRecord,
  BillImportRecord,
  BillMappingRecord,
  BillRequestRecord,
  CostHourRecord,
} from '#server/db/records/bill.ts';
import type { BudgetPeriodRecord } from '#server/db/records/budget-period.ts';
import type { CallRefundRecord } from '#server/db/records/call-refund.ts';
import type { CallSessionRecord } from '#server/db/records/call-session.ts';
import type { ChangeRecord } from '#server/db/records/change.ts';
import type { ChannelSlotRecord } from '#server/db/records/channel-slot.ts';
import type { ChannelHourRecord } from '#server/db/records/channel-hour.ts';
import type { ChannelKeyRecord } from '#server/db/records/channel-key.ts';
import type { ChannelKeyHourRecord } from '#server/db/records/channel-key-hour.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import type { ChannelRunRecord } from '#server/db/records/channel-run.ts';
import type { ClosedUsageRecord } from '#server/db/records/closed-usage.ts';
import type { ContextCacheRecord } from '#server/db/records/context-cache.ts';
import type { ConversationItemRecord } from '#server/db/records/conversation-item.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import type { DeletedChannelRecord } from '#server/db/records/deleted-channel.ts';
import type { FactRecord } from '#server/db/records/fact.ts';
import type { FileRecord } from '#server/db/records/file.ts';
import type { IdempotentCallRecord } from '#server/db/records/idempotent-call.ts';
import type { ImportRowRecord, ImportRunRecord, ImportSourceRecord } from '#server/db/records/import.ts';
import type { InvitationRecord } from '#server/db/records/invitation.ts';
import type { JobRecord } from '#server/db/records/job.ts';
import type { ModelFigureRecord, ModelStateRecord, StatusIncidentRecord } from '#server/db/records/status-page.ts';
import type { StoredResponseRecord } from '#server/db/records/stored-response.ts';
import type { KeyReplacementRecord } from '#server/db/records/key-replacement.ts';
import type { LatencyHourRecord } from '#server/db/records/latency-hour.ts';
import type { LedgerRecord } from '#server/db/records/ledger-entry.ts';
import type { LeftIdentityRecord } from '#server/db/records/left-identity.ts';
import type { LimitRecord } from '#server/db/records/limit.ts';
import type { LogClosingRecord } from '#server/db/records/log-closing.ts';
import type { LogFoldRecord } from '#server/db/records/log-fold.ts';
import type { LogHourRecord } from '#server/db/records/log-hour.ts';
import type { LogRecord } from '#server/db/records/log.ts';
import type { LogSumRecord } from '#server/db/records/log-sum.ts';
import type { NotificationRecord } from '#server/db/records/notification.ts';
import type { OptionChangeRecord } from '#server/db/records/option-change.ts';
import type { OptionRecord } from '#server/db/records/option.ts';
import type { OrderRecord } from '#server/db/records/order.ts';
import type {
  OrganisationInviteRecord,
  OrganisationLeaverRecord,
  OrganisationMemberRecord,
  OrganisationRecord,
  OrganisationTransferRecord,
  TeamRecord,
} from '#server/db/records/organisation.ts';
import type { PricePlanRecord } from '#server/db/records/price-plan.ts';
import type { PriceReviewRecord } from '#server/db/records/price-review.ts';
import type { PriceSyncRecord } from '#server/db/records/price-sync.ts';
import type { ProcessRecord } from '#server/db/records/process.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import type { RefusedRequestRecord } from '#server/db/records/refused-request.ts';
import type { ResponseHoldingRecord } from '#server/db/records/response-holding.ts';
import type { ResponseItemRecord } from '#server/db/records/response-item.ts';
import type { ResponsePartRecord } from '#server/db/records/response-part.ts';
import type { SessionMinuteRecord } from '#server/db/records/session-minute.ts';
import type { SessionRecord } from '#server/db/records/session.ts';
import type { SignInAttemptRecord } from '#server/db/records/sign-in-attempt.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { TunedModelRecord } from '#server/db/records/tuned-model.ts';
import type { TuningJobRecord } from '#server/db/records/tuning-job.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UsageSumRecord } from '#server/db/records/usage-sum.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { VectorStoreRecord } from '#server/db/records/vector-store.ts';
import type { VerificationCodeRecord } from '#server/db/records/verification-code.ts';
import type { WatchRecord } from '#server/db/records/watch.ts';

export interface Records {
  users: UserRecord;
  tokens: TokenRecord;
  channels: ChannelRecord;
  deleted_channels: DeletedChannelRecord;
  channel_hours: ChannelHourRecord;
  channel_slots: ChannelSlotRecord;
  channel_runs: ChannelRunRecord;
  channel_keys: ChannelKeyRecord;
  channel_key_hours: ChannelKeyHourRecord;
  key_replacements: KeyReplacementRecord;
  model_figures: ModelFigureRecord;
  model_states: ModelStateRecord;
  status_incidents: StatusIncidentRecord;
  logs: LogRecord;
  refused_requests: RefusedRequestRecord;
  log_hours: LogHourRecord;
  log_sums: LogSumRecord;
  log_folds: LogFoldRecord;
  log_closings: LogClosingRecord;
  closed_usage: ClosedUsageRecord;
  usage_sums: UsageSumRecord;
  latency_hours: LatencyHourRecord;
  options: OptionRecord;
  option_changes: OptionChangeRecord;
  audit_entries: AuditEntryRecord;
  price_reviews: PriceReviewRecord;
  price_plans: PricePlanRecord;
  price_syncs: PriceSyncRecord;
  redemptions: RedemptionRecord;
  orders: OrderRecord;
  ledger: LedgerRecord;
  imports: ImportRunRecord;
  import_sources: ImportSourceRecord;
  import_rows: ImportRowRecord;
  invitations: InvitationRecord;
  organisations: OrganisationRecord;
  organisation_members: OrganisationMemberRecord;
  teams: TeamRecord;
  organisation_invites: OrganisationInviteRecord;
  organisation_transfers: OrganisationTransferRecord;
  organisation_leavers: OrganisationLeaverRecord;
  left_identities: LeftIdentityRecord;
  sessions: SessionRecord;
  app_authorizations: AppAuthorizationRecord;
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
  budget_periods: BudgetPeriodRecord;
  call_refunds: CallRefundRecord;
  call_sessions: CallSessionRecord;
  responses: StoredResponseRecord;
  files: FileRecord;
  backups: BackupRecord;
  bill_accounts: BillAccountRecord;
  bill_mappings: BillMappingRecord;
  bill_imports: BillImportRecord;
  bill_days: BillDayRecord;
  bill_requests: BillRequestRecord;
  cost_hours: CostHourRecord;
  batches: BatchRecord;
  vector_stores: VectorStoreRecord;
  context_caches: ContextCacheRecord;
  session_minutes: SessionMinuteRecord;
  tuning_jobs: TuningJobRecord;
  tuned_models: TunedModelRecord;
  response_pieces: ResponsePartRecord;
  response_items: ResponseItemRecord;
  response_holdings: ResponseHoldingRecord;
  conversations: ConversationRecord;
  conversation_items: ConversationItemRecord;
  idempotent_calls: IdempotentCallRecord;
}
