// Replaces the caller's ids of objects in a request by the provider's.
import { withFileNames } from '#server/formats/provider-objects.ts';
import { writeJson } from '#server/framing/long-json.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';

/** @param upstreamIds provider's ids by the caller's ids */
export function renameObjects(sending: CallToSend, upstreamIds: ReadonlyMap<string, string>): void {
  sending.body = withFileNames(sending.body, (name) => upstreamIds.get(name) ?? name);
  sending.rawText = writeJson(sending.body, sending.longTexts);
  sending.callerFiles = new Set([...(sending.callerFiles ?? []), ...upstreamIds.values()]);
}
