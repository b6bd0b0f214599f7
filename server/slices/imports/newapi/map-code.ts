// A redemption code and a top-up of one-api and new-api.
import { RedemptionStatus, redemptionNameLimit } from '#shared/redemptions.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import { type CodeDraft, leftOut, type MappedRow, noMoney, type OrderDraft } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { integer, isDeleted, line, number, quota, text, trimmed } from '../sources/row-values.ts';

export interface CodeMapping {
  /** Unix seconds. */
  now: number;
  secrets: Pick<Secrets, 'hash' | 'encrypt'>;
}

export function mapCode(row: SourceRow, { now, secrets }: CodeMapping): MappedRow<CodeDraft> {
  const oldId = text(row, 'id');
  const name = line(row, 'name', redemptionNameLimit) || `#${oldId}`;
  const value = quota(row, 'quota');
  const stored = integer(row, 'status', RedemptionStatus.unused);
  const isUsed = stored === RedemptionStatus.used;
  const money = { amount: stored === RedemptionStatus.unused ? value : 0, used: 0 };
  if (isDeleted(row)) return leftOut(oldId, name, { reason: 'deleted' }, money);
  const key = trimmed(row, 'key');
  if (key === '') return leftOut(oldId, name, { reason: 'key_missing' }, money);
  const created = integer(row, 'created_time');
  return {
    oldId,
    name,
    notes: [],
    money,
    draft: {
      makerRef: text(row, 'user_id'),
      redeemerRef: isUsed ? text(row, 'used_user_id') : '',
      name,
      quota: value,
      key_hash: secrets.hash(key),
      key_cipher: secrets.encrypt(key, 'redemption_code'),
      status: isUsed ? RedemptionStatus.used : stored === RedemptionStatus.unused ? RedemptionStatus.unused : RedemptionStatus.disabled,
      created_time: created > 0 ? created : now,
      expired_time: Math.max(0, integer(row, 'expired_time')),
      redeemed_time: isUsed ? Math.max(0, integer(row, 'redeemed_time')) : 0,
      claims: isUsed ? 1 : 0,
      DeletedAt: null,
      listed: 1,
      revision: 1,
    },
  };
}

export interface OrderMapping {
  quotaPerUnit: number;
}

/** Balances hold what was credited already, so orders are history. Pending ones are no longer payable. */
export function mapOrder(row: SourceRow, { quotaPerUnit }: OrderMapping): MappedRow<OrderDraft> {
  const oldId = text(row, 'id');
  const tradeNo = line(row, 'trade_no', 255);
  const amount = integer(row, 'amount');
  const money = number(row, 'money');
  if (tradeNo === '') return leftOut(oldId, `#${oldId}`, { reason: 'key_missing' });
  // Mirrors the order of a plan.
  if (amount === 0) return leftOut(oldId, tradeNo, { reason: 'order_of_plan' });
  const provider = trimmed(row, 'payment_provider') || 'epay';
  const isPaid = trimmed(row, 'status') === 'success';
  const created = Math.max(0, integer(row, 'create_time'));
  const credited = provider === 'stripe' ? money * quotaPerUnit : provider === 'creem' ? amount : amount * quotaPerUnit;
  return {
    oldId,
    name: tradeNo,
    notes: [],
    money: noMoney,
    draft: {
      userRef: text(row, 'user_id'),
      trade_no: tradeNo,
      // A notice that the same provider account signs later is a real payment, and is credited.
      provider: provider.slice(0, 40),
      method: line(row, 'payment_method', 50),
      amount,
      quota: Math.round(credited),
      cents: Math.round(money * 100),
      status: isPaid ? 'success' : 'cancelled',
      create_time: created,
      complete_time: isPaid ? Math.max(created, integer(row, 'complete_time')) : 0,
      provider_trade_no: '',
      claims: isPaid ? 1 : 0,
    },
  };
}
