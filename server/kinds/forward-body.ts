// Forwards the caller's body with the provider's model name and the channel's overrides.
import { bytesOfJson, writeJson } from '#server/framing/long-json.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { withChannelEdits } from '#server/formats/channel-edits.ts';
import { withModel } from '#server/formats/model-in-text.ts';
import type { CallKind } from './call-kind.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';

/** @throws {AppError} `untranslatable` for fields that raise the price and cannot be dropped */
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
  if (route.paramOverride !== null) return writeJson(withOverride({ ...body, model: route.upstreamModel }, call), call.longTexts);
  return withModel(rawText, body, route.upstreamModel) ?? writeJson({ ...body, model: route.upstreamModel }, call.longTexts);
}

/** Returns the provider's request with the channel's edits. */
export function withOverride(body: Readonly<Record<string, unknown>>, { route, originModel }: CallInput): Record<string, unknown> {
  return withChannelEdits(body, { route, originModel });
}

/** Response that no model generates and that never streams. */
export const unwritten = { kind: 'whole', written: () => '', events: () => Buffer.alloc(0) } as const;

/** Makes `decodeLong` of `decode` for responses of at most some megabytes; yields once before it. */
export function inOneStep(decode: CallKind['decode']): CallKind['decodeLong'] {
  return function* decodeLong(input) {
    yield;
    return decode(input);
  };
}

/** Finds an error sent with status 200. */
export function errorIn({ route: { dialect, provider } }: DecodeInput, text: string): ErrorInResponse | null {
  return dialect.readError(text, provider);
}
