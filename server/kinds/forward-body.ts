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
export function forwardBody(requested: CallInput): EncodedRequest {
  const { call, dropped } = withoutSurcharges(requested);
  return { ...encoded(requested, forwardedText(call)), ...asRequested(requested), dropped };
}

export function asRequested({ isPassThrough }: CallInput): Pick<EncodedRequest, 'isAsRequested'> {
  return isPassThrough === true ? { isAsRequested: true } : {};
}

export function encoded({ route, longTexts }: CallInput, text: string): Omit<EncodedRequest, 'dropped'> {
  return {
    body: bytesOfJson(text, longTexts),
    headers: null,
    upstreamModel: route.upstreamModel,
    reasoningEffort: undefined,
    sentLimit: undefined,
  };
}

function forwardedText(call: CallInput): string {
  const { body, rawText, route } = call;
  if (call.isPassThrough === true) return rawText;
  if (route.paramOverride !== null) return writeJson({ ...body, model: route.upstreamModel, ...overrideOf(call) }, call.longTexts);
  return withModel(rawText, body, route.upstreamModel) ?? writeJson({ ...body, model: route.upstreamModel }, call.longTexts);
}

export function overrideOf({ route }: Pick<CallInput, 'route'>): Readonly<Record<string, unknown>> {
  const { stream: _stream, ...fields } = route.paramOverride ?? {};
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
export function errorIn({ route: { dialect, provider } }: DecodeInput, text: string): ErrorInResponse | null {
  return dialect.readError(text, provider);
}
