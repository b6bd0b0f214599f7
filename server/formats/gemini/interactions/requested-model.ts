// Reads the model and the stream flag of a call. Agents run at Google and are not supported.
import type { RequestedCall } from '../../call-address.ts';
import { otherProviders, untranslatable } from '../../losses.ts';
import { requestedModel } from '../../requested-model.ts';
import type { Body } from '#server/framing/strict-fields.ts';

/** @throws {AppError} `model_required`, `invalid_request`; `untranslatable` for an agent */
export function requestedCall(body: Body): RequestedCall {
  const { agent, stream } = body;
  if (agent !== undefined && agent !== null) throw untranslatable('agent', otherProviders);
  return { model: bareModel(requestedModel(body)), isStream: stream === true };
}

/** Removes the prefix `models/`. */
export function bareModel(name: string): string {
  return name.startsWith('models/') ? name.slice('models/'.length) : name;
}
