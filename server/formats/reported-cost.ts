// Reads the cost of a call that a provider reports with its usage: OpenRouter in dollars, https://openrouter.ai/docs/use-cases/usage-accounting; xAI
// in ticks of 1e-10 dollars, https://docs.x.ai/docs/guides/usage; Perplexity as an object, https://docs.perplexity.ai/api-reference
import { isObject } from '#server/framing/loose-json.ts';

const ticksPerDollar = 1e10;
/** Maximum plausible cost; a larger number is a fault of the provider. */
const mostDollars = 100_000;

/** Returns US dollars; undefined if no plausible cost is reported. */
export function reportedCost(usage: unknown): number | undefined {
  if (!isObject(usage)) return undefined;
  const { cost, cost_in_usd_ticks: ticks, is_byok: hasOwnKey, cost_details: details } = usage;
  if (ticks !== undefined && ticks !== null) return typeof ticks === 'number' ? dollars(ticks / ticksPerDollar) : undefined;
  if (isObject(cost)) return dollars(cost.total_cost);
  const reported = dollars(cost);
  // If the operator's key for the model's provider is used, `cost` is only OpenRouter's fee.
  const behind = hasOwnKey === true && isObject(details) ? dollars(details.upstream_inference_cost) : undefined;
  return reported === undefined || behind === undefined ? reported : reported + behind;
}

function dollars(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= mostDollars ? value : undefined;
}
