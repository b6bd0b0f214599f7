// Writes the provider's ids of the caller's objects into a request.
import { withFileNames } from '#server/formats/provider-objects.ts';
import { writeJson } from '#server/framing/long-json.ts';
import type { CallToSend } from '#server/exchange/exchange.ts';

/** @param upstreamIds provider's ids by the caller's */
export function renameObjects(sending: CallToSend, upstreamIds: ReadonlyMap<string, string>): void {
  sending.body = withFileNames(sending.body, (name) => upstreamIds.get(name) ?? name);
  sending.rawText = writeJson(sending.body, sending.longTexts);
  sending.callerFiles = new Set([...(sending.callerFiles ?? []), ...upstreamIds.values()]);
}
