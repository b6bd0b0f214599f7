import { AppError } from '#shared/errors.ts';
import { smallestTopUp, topUpCents, topUpQuota, topUpRatio, type TopUpTerms } from '#shared/top-up-price.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { knownGroup } from '#server/settings/group-moves.ts';

/** What topping up costs this user now. */
export function topUpTerms({ settings }: Pick<AppContext, 'settings'>, { group }: Pick<UserRecord, 'group'>): TopUpTerms {
  return {
    inCurrency: settings.get('DisplayInCurrencyEnabled'),
    quotaPerUnit: settings.get('QuotaPerUnit'),
    price: settings.get('Price'),
    ratio: topUpRatio(settings.get('TopupGroupRatio'), knownGroup(settings, group)),
    minimum: settings.get('MinTopUp'),
  };
}

export interface TopUpQuote {
  amount: number;
  quota: number;
  cents: number;
}

/** @throws {AppError} `topup_below_minimum`, `payment_input`, `topup_price_low` */
export function quoteTopUp(amount: number, terms: TopUpTerms): TopUpQuote {
  const minimum = smallestTopUp(terms);
  if (amount < minimum) throw new AppError('topup_below_minimum', { minimum }, { field: 'amount' });
  const cents = topUpCents(amount, terms);
  if (cents === null) throw new AppError('payment_input', {}, { field: 'amount' });
  if (cents < 1) throw new AppError('topup_price_low', {}, { field: 'amount' });
  return { amount, quota: topUpQuota(amount, terms), cents };
}
