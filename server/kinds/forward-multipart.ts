// Forwards a multipart form: texts with the provider's model name and the channel's overrides, files unchanged.
import { AppError } from '#shared/errors.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { boundaryIn, partsOf } from '#server/formats/multipart-body.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { writeMultipart } from '#server/framing/multipart.ts';
import { asRequested, encoded, withOverride } from './forward-body.ts';

/**
 * @param changes fields that replace the caller's
 * @throws {AppError} `untranslatable` for fields that raise the price and cannot be dropped
 */
export function forwardMultipart(requested: CallInput, changes: Readonly<Record<string, unknown>> = {}): EncodedRequest {
  const boundary = boundaryIn(requested.body);
  if (boundary === undefined) throw new AppError('internal_error');
  const { call, dropped } = withoutSurcharges(requested);
  const body =
    requested.isPassThrough === true
      ? requested.body
      : withOverride({ ...call.body, ...changes, model: requested.route.upstreamModel }, call);
  return {
    ...encoded(requested, ''),
    ...asRequested(requested),
    body: writeMultipart(partsOf(body), boundary),
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    dropped,
  };
}
