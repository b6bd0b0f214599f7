// Reads https://models.dev/api.json: provider → models → `cost` in US dollars per million tokens.
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';
import { type CataloguePrices, InvalidPrice, isModelName, type Offer, priceIn, type TokenPrices } from './catalogue.ts';

export function isModelsDev(value: JsonObject): boolean {
  const providers = Object.values(value);
  return providers.length > 0 && providers.every((provider) => isObject(provider) && isObject(provider['models']));
}

export function readModelsDev(value: JsonObject): { offers: Offer[]; invalid: string[] } {
  const offers: Offer[] = [];
  const invalid: string[] = [];
  for (const [provider, { models }] of Object.entries(value).flatMap(([name, one]): [string, JsonObject][] =>
    isObject(one) ? [[name, one]] : [],
  )) {
    if (!isObject(models)) continue;
    for (const [model, fields] of Object.entries(models)) {
      const cost = isObject(fields) ? fields['cost'] : undefined;
      if (!isObject(cost)) continue;
      try {
        if (!isModelName(model)) throw new InvalidPrice('name');
        offers.push({ model, provider: provider.toLowerCase(), prices: readCost(cost) });
      } catch (failure) {
        if (!(failure instanceof InvalidPrice)) throw failure;
        invalid.push(`${provider}/${model}`);
      }
    }
  }
  return { offers, invalid };
}

const known: ReadonlySet<string> = new Set([
  'input',
  'output',
  'cache_read',
  'cache_write',
  'input_audio',
  'output_audio',
  'reasoning',
  'context_over_200k',
  'tiers',
]);

/** @throws {InvalidPrice} */
function readCost(cost: JsonObject): CataloguePrices {
  const { input, ...others } = readTokens(cost);
  const long = readLong(cost);
  const reasoning = priceIn(cost, 'reasoning');
  const unplaced = [
    ...(reasoning === undefined || reasoning === others.output ? [] : ['reasoning']),
    ...Object.keys(cost).filter((name) => !known.has(name) && typeof cost[name] === 'number' && cost[name] !== 0),
  ];
  return {
    ...(input === undefined ? {} : { tokens: { input, ...others } }),
    ...(long.length === 0 ? {} : { long }),
    unplaced,
  };
}

/** `tiers` has every bound, `context_over_200k` the one of older lists. @throws {InvalidPrice} */
function readLong(cost: JsonObject): ({ above: number } & TokenPrices)[] {
  const { tiers, context_over_200k: over } = cost;
  if (Array.isArray(tiers)) {
    return tiers.flatMap((one: unknown) => {
      const size =
        isObject(one) && isObject(one['tier']) && (one['tier']['type'] ?? 'context') === 'context' ? one['tier']['size'] : undefined;
      if (!isObject(one) || typeof size !== 'number') throw new InvalidPrice('tiers');
      if (!Number.isSafeInteger(size) || size < 0 || size > 999_999_999) throw new InvalidPrice('tiers');
      return [{ above: size, ...readTokens(one) }];
    });
  }
  return isObject(over) ? [{ above: 200_000, ...readTokens(over) }] : [];
}

/** @throws {InvalidPrice} */
function readTokens(cost: JsonObject): TokenPrices {
  return given({
    input: priceIn(cost, 'input'),
    output: priceIn(cost, 'output'),
    cacheRead: priceIn(cost, 'cache_read'),
    cacheWrite: priceIn(cost, 'cache_write'),
    audioInput: priceIn(cost, 'input_audio'),
    audioOutput: priceIn(cost, 'output_audio'),
  });
}

function given(prices: { [Kind in keyof TokenPrices]: TokenPrices[Kind] | undefined }): TokenPrices {
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined));
}
