// A form as it goes to a provider: its texts with the provider's name of the model and the channel's overrides, its files as they came.
import { AppError } from '#shared/errors.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { boundaryIn, partsOf } from '#server/formats/multipart-body.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { writeMultipart } from '#server/framing/multipart.ts';
import { asRequested, encoded, overrideOf } from './forward-body.ts';

/**
 * @param changes fields that are asked for otherwise than the caller does
 * @throws {AppError} `untranslatable` for what costs more and must not be left out
 */
export function forwardMultipart(requested: CallInput, changes: Readonly<Record<string, unknown>> = {}): EncodedRequest {
  const boundary = boundaryIn(requested.body);
  if (boundary === undefined) throw new AppError('internal_error');
  const { call, dropped } = withoutSurcharges(requested);
  const body =
    requested.isPassThrough === true
      ? requested.body
      : { ...call.body, ...changes, model: requested.route.upstreamModel, ...overrideOf(call) };
  return {
    ...encoded(requested, ''),
    ...asRequested(requested),
    body: writeMultipart(partsOf(body), boundary),
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    dropped,
  };
}
