// Every timed thing that concerns the whole installation. (What concerns one process has its own timer there.)
import { fillFoldedNames } from '#server/accounts/folded-name.ts';
import { foldStoredEmails } from '#server/accounts/identities.ts';
import { finishTransfers } from '#server/accounts/transfer-earnings.ts';
import { sweepCodes } from '#server/accounts/verification-codes.ts';
import { finishWelcomes } from '#server/accounts/welcome.ts';
import { sweepPeriods } from '#server/budgets/sweep-periods.ts';
import type { AppContext } from '#server/context.ts';
import { finishAuditEntries } from '#server/audit-log/entries.ts';
import { sweepAuditEntries } from '#server/settings/sweep-audit-entries.ts';
import { sweepAttempts } from '#server/features/oauth/attempt.ts';
import { sweepReplacements } from '#server/features/channels/keys/replace-everywhere.ts';
import { tendRuns } from '#server/features/channels/channel-runs.ts';
import { sweepLimits } from '#server/http/rate-limit.ts';
import { sweepSessions } from '#server/http/session.ts';
import { sweepNotifications } from '#server/notify/notifications.ts';
import { finishKeyMoves } from '#server/accounts/move-key.ts';
import { fillKeyEndings } from '#server/tokens/key-endings.ts';
import { sweepWatches } from '#server/tokens/refusal-watch.ts';
import { sendEverySeconds, sendInvitations, sweepInvitations } from '#server/features/invitations/tend-invitations.ts';
import { tendBills } from '#server/features/provider-bills/tend-bills.ts';
import { tendGroupMoves } from '#server/features/groups/tend-moves.ts';
import { sweepInvites } from '#server/features/organisations/invites.ts';
import { completeEnds } from '#server/features/organisations/found-organisation.ts';
import { returnEndedBalances } from '#server/features/organisations/return-balances.ts';
import { finishOrganisationTransfers } from '#server/features/organisations/transfer-quota.ts';
import { finishRedemptions } from '#server/features/redemptions/redeem-code.ts';
import { finishOrders } from '#server/features/wallet/credit-order.ts';
import { deleteOldLogs } from '#server/logs/delete-old-logs.ts';
import { checkFolds, foldLog } from '#server/logs/fold-log.ts';
import { sweepRefusedRequests, sweepUndatedRefusals } from '#server/logs/refusal-log.ts';
import { sweepAppAuthorizations } from '#server/slices/app-authorizations/code-records.ts';
import { measureSite } from '#server/slices/metrics/measure-site.ts';
import { checkBooks } from '#server/slices/metrics/check-books.ts';
import { applyPlans, syncPrices } from '#server/slices/prices/tend-prices.ts';
import { sweepFiles } from '#server/slices/files/sweep-files.ts';
import { tendCaches } from '#server/slices/context-caches/tend-caches.ts';
import { chargeLostMinutes } from '#server/call/realtime/lost-minutes.ts';
import { tendStores } from '#server/slices/vector-stores/tend-stores.ts';
import { pollBatches } from '#server/slices/batches/poll-batches.ts';
import { pollTunings } from '#server/slices/fine-tuning/poll-jobs.ts';
import { sweepTunedModels } from '#server/slices/fine-tuning/tuned-models.ts';
import { failOrphans } from '#server/slices/responses/background.ts';
import { sweepIdempotentCalls } from '#server/slices/idempotency/stage.ts';
import { sweepResponses, sweepResponsesOfDeleted } from '#server/slices/responses/sweep-responses.ts';
import { sweepStatus, tendStatus } from '#server/slices/status-page/tend-status.ts';
import { checkTasks } from '#server/work/tasks/check-tasks.ts';
import { pollTasks } from '#server/work/tasks/poll-tasks.ts';
import { finishCallRefunds } from '#server/features/logs/refund-call.ts';
import { finishRefunds } from '#server/work/tasks/refund-task.ts';
import { deleteOldTasks } from '#server/work/tasks/delete-old-tasks.ts';
import { sweepChannelSlots } from '#server/exchange/channel-slots.ts';
import { sweepChannelFigures } from '#server/exchange/channel-figures.ts';
import { sweepKeyFigures } from '#server/exchange/keys/key-figures.ts';
import { renewSignIns } from '#server/exchange/renew-sign-ins.ts';
import { sweepDeletedChannels } from '#server/exchange/deleted-channels.ts';
import { tendBackups } from '#server/transfer/tend-backups.ts';

export interface Job {
  /** Never change it: its last run is stored under this name. */
  name: string;
  everySeconds: number;
  /** Longer than a run ever takes: then another process may take the job for abandoned. */
  lockSeconds: number;
  run(context: AppContext): Promise<unknown>;
}

export const jobs: readonly Job[] = [
  { name: 'sweep-sessions', everySeconds: 3600, lockSeconds: 300, run: sweepSessions },
  { name: 'sweep-limits', everySeconds: 600, lockSeconds: 300, run: sweepLimits },
  { name: 'sweep-channel-slots', everySeconds: 3600, lockSeconds: 300, run: sweepChannelSlots },
  { name: 'sweep-channel-figures', everySeconds: 3600, lockSeconds: 300, run: sweepChannelFigures },
  { name: 'sweep-key-figures', everySeconds: 3600, lockSeconds: 300, run: sweepKeyFigures },
  { name: 'sweep-key-replacements', everySeconds: 3600, lockSeconds: 300, run: sweepReplacements },
  { name: 'sweep-watches', everySeconds: 3600, lockSeconds: 300, run: sweepWatches },
  { name: 'sweep-refused-requests', everySeconds: 3600, lockSeconds: 300, run: sweepRefusedRequests },
  { name: 'sweep-undated-refusals', everySeconds: 86_400, lockSeconds: 3600, run: sweepUndatedRefusals },
  { name: 'fail-orphan-responses', everySeconds: 15, lockSeconds: 300, run: failOrphans },
  { name: 'sweep-responses', everySeconds: 3600, lockSeconds: 300, run: sweepResponses },
  { name: 'sweep-responses-of-deleted', everySeconds: 3600, lockSeconds: 600, run: sweepResponsesOfDeleted },
  { name: 'sweep-files', everySeconds: 600, lockSeconds: 900, run: sweepFiles },
  { name: 'sweep-idempotent-calls', everySeconds: 600, lockSeconds: 300, run: sweepIdempotentCalls },
  { name: 'finish-audit-entries', everySeconds: 60, lockSeconds: 300, run: finishAuditEntries },
  { name: 'sweep-audit-entries', everySeconds: 3600, lockSeconds: 300, run: sweepAuditEntries },
  { name: 'fill-folded-names', everySeconds: 86_400, lockSeconds: 3600, run: fillFoldedNames },
  { name: 'fill-key-endings', everySeconds: 86_400, lockSeconds: 3600, run: fillKeyEndings },
  { name: 'sweep-organisation-invites', everySeconds: 3600, lockSeconds: 300, run: sweepInvites },
  { name: 'complete-organisation-ends', everySeconds: 60, lockSeconds: 300, run: completeEnds },
  { name: 'return-ended-balances', everySeconds: 300, lockSeconds: 300, run: returnEndedBalances },
  { name: 'finish-organisation-transfers', everySeconds: 60, lockSeconds: 300, run: finishOrganisationTransfers },
  { name: 'finish-key-moves', everySeconds: 60, lockSeconds: 300, run: finishKeyMoves },
  { name: 'fold-stored-emails', everySeconds: 86_400, lockSeconds: 3600, run: foldStoredEmails },
  { name: 'sweep-notifications', everySeconds: 3600, lockSeconds: 300, run: sweepNotifications },
  { name: 'finish-transfers', everySeconds: 60, lockSeconds: 300, run: finishTransfers },
  { name: 'finish-welcomes', everySeconds: 60, lockSeconds: 300, run: finishWelcomes },
  { name: 'send-invitations', everySeconds: sendEverySeconds, lockSeconds: 900, run: sendInvitations },
  { name: 'sweep-invitations', everySeconds: 86_400, lockSeconds: 300, run: sweepInvitations },
  { name: 'sweep-sign-in-attempts', everySeconds: 600, lockSeconds: 300, run: sweepAttempts },
  { name: 'sweep-app-authorizations', everySeconds: 3600, lockSeconds: 300, run: sweepAppAuthorizations },
  { name: 'sweep-verification-codes', everySeconds: 600, lockSeconds: 300, run: sweepCodes },
  // Before tasks are polled, which fail when their channel is gone.
  { name: 'sweep-deleted-channels', everySeconds: 15, lockSeconds: 300, run: sweepDeletedChannels },
  { name: 'renew-sign-ins', everySeconds: 60, lockSeconds: 300, run: (context) => renewSignIns(context) },
  { name: 'channel-runs', everySeconds: 15, lockSeconds: 60, run: tendRuns },
  { name: 'group-moves', everySeconds: 15, lockSeconds: 300, run: tendGroupMoves },
  { name: 'delete-old-logs', everySeconds: 15, lockSeconds: 300, run: deleteOldLogs },
  { name: 'fold-log', everySeconds: 15, lockSeconds: 300, run: foldLog },
  { name: 'finish-redemptions', everySeconds: 15, lockSeconds: 300, run: finishRedemptions },
  { name: 'finish-orders', everySeconds: 15, lockSeconds: 300, run: finishOrders },
  { name: 'finish-task-refunds', everySeconds: 15, lockSeconds: 300, run: finishRefunds },
  { name: 'finish-call-refunds', everySeconds: 15, lockSeconds: 300, run: finishCallRefunds },
  { name: 'check-tasks', everySeconds: 60, lockSeconds: 300, run: checkTasks },
  { name: 'poll-tasks', everySeconds: 15, lockSeconds: 300, run: pollTasks },
  { name: 'poll-batches', everySeconds: 15, lockSeconds: 1800, run: pollBatches },
  { name: 'tend-vector-stores', everySeconds: 15, lockSeconds: 1800, run: tendStores },
  { name: 'charge-lost-minutes', everySeconds: 15, lockSeconds: 300, run: chargeLostMinutes },
  { name: 'tend-context-caches', everySeconds: 15, lockSeconds: 1800, run: (context) => tendCaches(context) },
  { name: 'poll-tunings', everySeconds: 15, lockSeconds: 1800, run: pollTunings },
  { name: 'sweep-budget-periods', everySeconds: 3600, lockSeconds: 300, run: sweepPeriods },
  { name: 'sweep-tuned-models', everySeconds: 600, lockSeconds: 900, run: sweepTunedModels },
  { name: 'delete-old-tasks', everySeconds: 600, lockSeconds: 300, run: deleteOldTasks },
  { name: 'apply-price-plans', everySeconds: 15, lockSeconds: 300, run: applyPlans },
  { name: 'sync-prices', everySeconds: 60, lockSeconds: 900, run: syncPrices },
  { name: 'tend-bills', everySeconds: 900, lockSeconds: 3600, run: tendBills },
  { name: 'tend-backups', everySeconds: 60, lockSeconds: 300, run: tendBackups },
  { name: 'check-books', everySeconds: 300, lockSeconds: 900, run: checkBooks },
  { name: 'measure-site', everySeconds: 60, lockSeconds: 300, run: measureSite },
  { name: 'tend-status-page', everySeconds: 60, lockSeconds: 300, run: tendStatus },
  { name: 'sweep-status-page', everySeconds: 3600, lockSeconds: 300, run: sweepStatus },
  { name: 'check-log-folds', everySeconds: 600, lockSeconds: 300, run: checkFolds },
];
