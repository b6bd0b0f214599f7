// The lane that a request asks for, whatever its format: `service_tier`, `serviceTier`, or Claude's `speed`.
import { tierNamed } from '#shared/service-tiers.ts';

/** By `tierNamed`; undefined: it asks for none. */
export function askedTier({ service_tier, serviceTier, speed }: Readonly<Record<string, unknown>>): string | undefined {
  return (speed === 'fast' ? tierNamed(speed) : undefined) ?? tierNamed(service_tier ?? serviceTier);
}
