// A code becomes balance in three steps: the code is claimed (one atomic change, so one of many wins), the ledger credits what was
// claimed, the claim is closed. A crash between them leaves a claim that is due; `finishRedemptions` brings it to its end.
import { AppError } from '#shared/errors.ts';
import { RedemptionStatus } from '#shared/redemptions.ts';
import { creditOnce } from '#server/accounts/credit-once.ts';
import { quotaText } from '#server/accounts/quota-text.ts';
import type { AppContext } from '#server/context.ts';
import { eachDue } from '#server/db/each-due.ts';
import type { RedemptionRecord } from '#server/db/records/redemption.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { ChangeOutcome } from '#server/money/change-once.ts';
import { enforceLimit, forgiveHit } from '#server/http/rate-limit.ts';

/** Wrong codes that a user may try. */
const attempts = { count: 30, windowSeconds: 600 };
/** Milliseconds after which a claim that is still due counts as abandoned by its process. */
const abandonedAfter = 10_000;
const finishedAtOnce = 100;

/** Answers the quota that was added. @throws {AppError} when the code gives nothing to this user */
export async function redeemCode(context: AppContext, user: UserRecord, given: string): Promise<number> {
  const key = given.trim();
  if (key === '') throw new AppError('redeem_key_missing', {}, { field: 'key' });
  const limit = `redeem:${user.id}`;
  await enforceLimit(context, { key: limit, ...attempts });
  const code = await context.db.collection('redemptions').first({ key_hash: context.secrets.hash(key) });
  if (code === null) throw new AppError('redeem_invalid', {}, { field: 'key' });
  const claimed = await claim(context, user, code);
  const outcome = await credit(context, claimed);
  if (outcome.state === 'refused') throw outcome.reason;
  await forgiveHit(context, limit);
  return claimed.quota;
}

/** Completes abandoned claims. */
export async function finishRedemptions(context: AppContext): Promise<number> {
  const before = context.now() - abandonedAfter;
  const redemptions = context.db.collection('redemptions');
  const items = await redemptions.find({ credit_due_at: { lt: before } }, { sort: [['credit_due_at', 1]], limit: finishedAtOnce });
  await eachDue({
    items,
    work: async (code) => (await credit(context, code)).state !== 'open',
    postpone: ({ id }) => redemptions.patch({ id, credit_due_at: { exists: true } }, { set: { credit_due_at: context.now() } }),
  });
  return items.length;
}

async function claim(context: AppContext, user: UserRecord, code: RedemptionRecord): Promise<RedemptionRecord> {
  const now = context.now();
  const seconds = Math.floor(now / 1000);
  const open = { id: code.id, status: RedemptionStatus.unused, DeletedAt: null, quota: code.quota, claims: code.claims };
  const claimed = await context.db.collection('redemptions').patch(
    { ...open, or: [{ expired_time: 0 }, { expired_time: { gt: seconds } }] },
    {
      set: {
        status: RedemptionStatus.used,
        used_user_id: user.id,
        redeemed_time: seconds,
        credit_due_at: now,
        log_id: await context.db.nextId('logs'),
      },
      increment: { claims: 1, revision: 1 },
    },
  );
  if (claimed !== null) return claimed;
  const current = await context.db.collection('redemptions').get(code.id);
  if (current === null || current.DeletedAt !== null) throw new AppError('redeem_invalid', {}, { field: 'key' });
  // Resumes an attempt of the same user that was cut short.
  if (current.used_user_id === user.id && (current.credit_due_at ?? now) < now - abandonedAfter) return current;
  const isUnused = current.status === RedemptionStatus.unused;
  if (isUnused && current.expired_time !== 0 && current.expired_time <= seconds) {
    throw new AppError('redeem_expired', {}, { field: 'key' });
  }
  // The code was edited meanwhile; its current value was not read.
  if (isUnused) return claim(context, user, current);
  throw new AppError('redeem_used', {}, { field: 'key' });
}

/** Credits a claim and closes it; of one that can never be credited the code is given back. */
async function credit(context: AppContext, code: RedemptionRecord): Promise<ChangeOutcome> {
  const outcome = await creditOnce(context, {
    userId: code.used_user_id,
    amount: code.quota,
    ref: `redemption:${code.id}:${code.claims}`,
    kind: 'redemption',
    logId: code.log_id ?? (await context.db.nextId('logs')),
    content: `通过兑换码充值 ${quotaText(context, code.quota)}，兑换码ID ${code.id}`,
    event: { code: 'code_redeemed', amount: code.quota, redemption_id: code.id },
  });
  if (outcome.state === 'open') return outcome;
  const due = { id: code.id, claims: code.claims, credit_due_at: { exists: true } };
  const redemptions = context.db.collection('redemptions');
  if (outcome.state === 'done') await redemptions.patch(due, { unset: ['credit_due_at', 'log_id'] });
  else {
    await redemptions.patch(due, {
      set: { status: RedemptionStatus.unused, used_user_id: 0, redeemed_time: 0 },
      unset: ['credit_due_at', 'log_id'],
      increment: { revision: 1 },
    });
  }
  return outcome;
}
