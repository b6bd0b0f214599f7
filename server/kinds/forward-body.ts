// The caller's body as it goes to a provider that takes such calls as they are: with the provider's name of the model, and the channel's
// overrides.
import { bytesOfJson, writeJson } from '#server/framing/long-json.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { withModel } from '#server/formats/model-in-text.ts';
import type { CallKind } from './call-kind.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';

/** @throws {AppError} `untranslatable` for what costs more and must not be left out */
export function forwardBody(asked: CallInput): EncodedRequest {
  const { call, dropped } = withoutSurcharges(asked);
  return { ...encoded(asked, forwardedText(call)), ...asAsked(asked), dropped };
}

export function asAsked({ isPassThrough }: CallInput): Pick<EncodedRequest, 'isAsAsked'> {
  return isPassThrough === true ? { isAsAsked: true } : {};
}

export function encoded({ way, longTexts }: CallInput, text: string): Omit<EncodedRequest, 'dropped'> {
  return {
    body: bytesOfJson(text, longTexts),
    headers: null,
    upstreamModel: way.upstreamModel,
    reasoningEffort: undefined,
    sentLimit: undefined,
  };
}

function forwardedText(call: CallInput): string {
  const { body, rawText, way } = call;
  if (call.isPassThrough === true) return rawText;
  if (way.paramOverride !== null) return writeJson({ ...body, model: way.upstreamModel, ...overrideOf(call) }, call.longTexts);
  return withModel(rawText, body, way.upstreamModel) ?? writeJson({ ...body, model: way.upstreamModel }, call.longTexts);
}

export function overrideOf({ way }: Pick<CallInput, 'way'>): Readonly<Record<string, unknown>> {
  const { stream: _stream, ...fields } = way.paramOverride ?? {};
  return fields;
}

/** Of a response that no model has written, and that never streams. */
export const unwritten = { kind: 'whole', written: () => '', events: () => Buffer.alloc(0) } as const;

/** `decodeLong` of responses that stay within some megabytes: others have had their turn before. */
export function inOneStep(decode: CallKind['decode']): CallKind['decodeLong'] {
  return function* decodeLong(input) {
    yield;
    return decode(input);
  };
}

/** An error that came with status 200. */
export function errorIn({ way: { dialect, provider } }: DecodeInput, text: string): ErrorInResponse | null {
  return dialect.readError(text, provider);
}
