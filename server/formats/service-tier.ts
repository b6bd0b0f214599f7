// Reads the service tier in requests of any format (`service_tier`, `serviceTier`, Claude's `speed`) and in response headers.
import { tierNamed } from '#shared/service-tiers.ts';
import { isObject } from '#server/framing/loose-json.ts';

/** Returns the tier, named by `tierNamed`; undefined if the request has none. */
export function requestedTier({ service_tier, serviceTier, speed }: Readonly<Record<string, unknown>>): string | undefined {
  if (service_tier === undefined && serviceTier === undefined && speed === undefined) return undefined;
  return (speed === 'fast' ? tierNamed(speed) : undefined) ?? tierNamed(service_tier ?? typeOf(serviceTier));
}

/** Returns the name in a tier: Bedrock's Converse has an object. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ServiceTier.html */
export function typeOf(tier: unknown): unknown {
  return isObject(tier) ? tier.type : tier;
}

/** https://ai.google.dev/gemini-api/docs/priority-inference, https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html */
const tierHeaders = ['x-gemini-service-tier', 'x-amzn-bedrock-service-tier'];

/** Returns the tier, named by `tierNamed`; undefined if the headers have none. */
export function headerTier(headers: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of tierHeaders) {
    const reported = headers[name];
    const tier = reported === undefined ? undefined : tierNamed(reported);
    if (tier !== undefined) return tier;
  }
  return undefined;
}
