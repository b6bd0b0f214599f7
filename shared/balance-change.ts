import { isCall, otherOf } from './log-other.ts';
import type { Log } from './logs.ts';

/** By how much a row that is no call changed a balance, in quota; 0 when it did not, or does not say. */
export function changeOf(log: Log): number {
  if (isCall(log)) return 0;
  const event = otherOf(log)?.event;
  switch (event?.code) {
    case 'quota_set':
      return event.to - event.from;
    case 'signup_bonus':
    case 'invitee_bonus':
    // What an inviter earns is a balance only once it is taken over.
    case 'earnings_transferred':
    case 'code_redeemed':
    case 'topped_up':
    case 'task_refunded':
    case 'batch_settled':
    case 'store_day':
    case 'tuning_settled':
    case 'cache_ended':
    case 'call_refunded':
      return event.amount;
    default:
      return log.quota;
  }
}

/** Returns whether a row other than a call reports spending: a day of a store, or more than was prepaid. */
export function isSpending(log: Log): boolean {
  const event = isCall(log) ? undefined : otherOf(log)?.event;
  const isOfWork = event?.code === 'store_day' || event?.code === 'batch_settled' || event?.code === 'tuning_settled';
  return isOfWork && event.amount < 0;
}

/** By how much any row changed the balance of its user, in quota. */
export function balanceChange(log: Log): number {
  return isCall(log) ? -log.quota : changeOf(log);
}
