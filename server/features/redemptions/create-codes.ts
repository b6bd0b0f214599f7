import { createHash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import {
  isRedemptionName,
  redemptionBatchLimit,
  type RedemptionCreate,
  RedemptionStatus,
  tidyRedemptionName,
} from '#shared/redemptions.ts';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { UserRecord } from '#server/db/records/user.ts';

const keyLength = 32;

/** Stores new codes in one go; answers the codes themselves. */
export async function createCodes(context: AppContext, maker: UserRecord, input: RedemptionCreate): Promise<string[]> {
  const name = checkCodeName(input.name ?? '');
  const { count = 1, quota = 0, expired_time = 0 } = input;
  if (count <= 0) throw new AppError('redemption_count_low', {}, { field: 'count' });
  if (count > redemptionBatchLimit) throw new AppError('redemption_count_high', { limit: redemptionBatchLimit }, { field: 'count' });
  checkCodeQuota(quota);
  checkCodeExpiry(context, expired_time);
  const keys = Array.from({ length: count }, () => newKey(context));
  const ids = await context.db.nextIds('redemptions', count);
  await context.db.write(
    keys.map((key, index): Write => ({
      into: 'redemptions',
      insert: {
        id: ids[index] ?? 0,
        user_id: maker.id,
        name,
        quota,
        key_hash: context.secrets.hash(key),
        key_cipher: context.secrets.encrypt(key, 'redemption_code'),
        status: RedemptionStatus.unused,
        created_time: Math.floor(context.now() / 1000),
        expired_time,
        redeemed_time: 0,
        used_user_id: 0,
        claims: 0,
        DeletedAt: null,
        listed: 1,
        revision: 1,
      },
    })),
  );
  return keys;
}

export function checkCodeName(given: string): string {
  if (!isRedemptionName(given)) throw new AppError('redemption_name_length', {}, { field: 'name' });
  return tidyRedemptionName(given);
}

export function checkCodeQuota(quota: number): void {
  if (quota < 1) throw new AppError('redemption_quota_low', {}, { field: 'quota' });
}

export function checkCodeExpiry(context: AppContext, time: number): void {
  if (time !== 0 && time * 1000 <= context.now()) throw new AppError('redemption_expiry_past', {}, { field: 'expired_time' });
}

/** 128 bits as 32 lower-case hexadecimal digits, as codes of this family look. */
function newKey(context: AppContext): string {
  return createHash('sha256').update(context.randomText(64)).digest('hex').slice(0, keyLength);
}
