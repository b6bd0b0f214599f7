// Reads the state fields of a Responses request, and whether its conversation is compacted.
import { isObject } from '#server/framing/loose-json.ts';
import { type StateFields, stateFields } from '#server/objects/state-fields.ts';
import { isSealedHere } from './compaction.ts';
import { thresholdIn } from './gateway-compaction.ts';
import type { RelayBody } from '#server/call/endpoints.ts';

export interface StateRequest extends StateFields {
  /** Whether the request triggers a compaction, contains one sealed by the gateway, or may need one. */
  hasCompaction: boolean;
}

/** Reads the fields of a body that has passed the endpoint's `check`. */
export function stateRequest(body: RelayBody): StateRequest {
  const { input } = body;
  const hasCompaction =
    thresholdIn(body) !== undefined || (Array.isArray(input) && input.some((item) => isSealedHere(item) || isTrigger(item)));
  return { ...stateFields(body), hasCompaction };
}

function isTrigger(item: unknown): boolean {
  return isObject(item) && item.type === 'compaction_trigger';
}
