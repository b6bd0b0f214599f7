// Limits of a token that an administrator has set: the owner's edits may repeat them, and not change them.
import { commaList } from '#shared/comma-list.ts';
import { AppError } from '#shared/errors.ts';
import { type HeldLimit, heldLimits, limitFields } from '#shared/tokens.ts';
import type { TokenRecord } from '#server/db/records/token.ts';

export function heldOf({ held = '' }: TokenRecord): HeldLimit[] {
  const names = commaList(held);
  return heldLimits.filter((name) => names.includes(name));
}

/**
 * @param fields fields that the edit would store
 * @param changesQuota reports whether the edit changes the balance
 * @throws {AppError} `token_limit_held`
 */
export function checkHeldLimits(token: TokenRecord, fields: Partial<TokenRecord>, { changesQuota }: { changesQuota: boolean }): void {
  const stored: Readonly<Record<string, unknown>> = { ...token };
  for (const limit of heldOf(token)) {
    const changed = Object.entries(fields).find(
      ([field, value]) => limitFields[limit].some((one) => one === field) && value !== undefined && (stored[field] ?? '') !== value,
    );
    const field = changed?.[0] ?? (limit === 'quota' && changesQuota ? 'remain_quota' : undefined);
    if (field !== undefined) throw new AppError('token_limit_held', { name: token.name }, { field });
  }
}
