// Prices of fine-tuning, and of fine-tuned models.
import { priceOfTokens, trainedPrice } from '#shared/find-price.ts';
import type { Price } from '#shared/pricing.ts';
import { tuningPriceOf } from '#shared/tuning-prices.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { priceMapsOf } from '#server/settings/price-maps.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { QuotedPrice } from './quote.ts';

export interface TuningQuotes {
  /** Price of training that model, with tokens as input; null if it cannot be trained. `perMillion`: USD. */
  priceOfTraining(base: string, group: string, user: UserRecord): (QuotedPrice & { perMillion: number }) | null;
  /**
   * Price of a model fine-tuned from it.
   * @throws {AppError} `model_price_error`
   */
  priceOfTrained(base: string, group: string, user: UserRecord): QuotedPrice;
}

const mostStored = 1000;

export function createTuningQuotes(
  settings: Settings,
  quote: (price: Price, model: string, group: string, user: UserRecord) => QuotedPrice,
  refusal: (model: string, user: UserRecord) => Error,
): TuningQuotes {
  let revision = -1;
  let stored = new Map<string, Price | null>();

  function trainedFrom(base: string): Price | null {
    if (revision !== settings.revision) [revision, stored] = [settings.revision, new Map()];
    let price = stored.get(base);
    if (price === undefined) {
      const reported = tuningPriceOf(base, settings.get('FineTuningPrice'));
      price = reported === null ? null : trainedPrice(base, reported, priceMapsOf(settings));
      if (stored.size < mostStored) stored.set(base, price);
    }
    return price;
  }

  return {
    priceOfTraining(base, group, user) {
      const perMillion = tuningPriceOf(base, settings.get('FineTuningPrice'))?.training;
      return perMillion === undefined ? null : { ...quote(priceOfTokens(perMillion), base, group, user), perMillion };
    },
    priceOfTrained(base, group, user) {
      const price = trainedFrom(base);
      if (price === null) throw refusal(base, user);
      return quote(price, base, group, user);
    },
  };
}
