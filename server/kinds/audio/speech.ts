// Text to speech, for callers of OpenAI's format. Requests go to providers unchanged or in a vendor format
// (`vendors/`). Callers get bytes or events, whichever the provider sends.
// https://platform.openai.com/docs/api-reference/audio/createSpeech
import { writeJson } from '#server/framing/long-json.ts';
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { IdentityPath } from '#server/formats/identity.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { framings } from '#server/framing/registry.ts';
import { soundAsEvent } from '#server/framing/sound-splitter.ts';
import { type CallKind, type Decoded, megabyte, openaiCall } from '../call-kind.ts';
import { encoded, errorIn, forwardBody, inOneStep, withOverride } from '../forward-body.ts';
import { speechFormatOf } from './vendors/registry.ts';
import { decodeVendorSpeech, encodeVendorSpeech } from './vendor-speech.ts';
import { anyType } from './speech-format.ts';
import { speechClient, wantsEvents } from './speech-client.ts';
import { SpeechStream } from './speech-stream.ts';
import { charactersOf, speaksTokens } from './spoken-sound.ts';

/** Compatible servers of other vendors may not support this field. */
const formatField = 'stream_format';

const decodeBytesLong = inOneStep(decodeBytes);
const identity: IdentityPath = {
  writeRequest: encode,
  readWhole: decode,
  readLong: decodeLong,
  openStream: (input) => new SpeechStream(input),
};

export const speech: CallKind = {
  name: 'speech',
  canStream: true,
  framing: framings.sound,
  // Limit for bodies that do not begin like a sound; an hour of sound in hexadecimal.
  mostResponseBytes: 64 * megabyte,
  contentType: 'audio/mpeg',
  isWritten: false,
  isCount: false,
  over: null,
  // Vendor formats are translated to the caller's.
  identityOf: ({ surface }) => (surface.vendor === 'openai' ? identity : null),
  clientCall: openaiCall(speechClient),
  encode,
  decode,
  decodeLong,
};

/**
 * Only events report tokens; a provider without events rejects the field that requests them.
 * @throws {AppError} `untranslatable`
 */
function encode(requested: CallInput): EncodedRequest {
  const { route, body } = requested;
  const form = speechFormatOf(route.provider.speech);
  if (form !== null) return encodeVendorSpeech(requested, form);
  if (requested.isPassThrough === true) return { ...forwardBody(requested), headers: wantsEvents(body) ? null : anyType };
  const reports =
    route.provider.speech === 'events' && speaksTokens(route.upstreamModel) && requested.withoutFields?.has(formatField) !== true;
  const request = body.stream_format === (reports ? 'sse' : undefined) ? forwardBody(requested) : inFormat(requested, reports);
  return reports ? { ...request, doubtful: [{ name: formatField }] } : { ...request, headers: anyType };
}

function inFormat(requested: CallInput, reports: boolean): EncodedRequest {
  const { call, dropped } = withoutSurcharges(requested);
  const { stream_format: _format, ...rest } = call.body;
  const reported = withOverride({ ...rest, ...(reports ? { stream_format: 'sse' } : {}), model: requested.route.upstreamModel }, call);
  return { ...encoded(requested, writeJson(reported, requested.longTexts)), dropped };
}

function decode(input: DecodeInput): Decoded {
  const steps = decodeLong(input);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* decodeLong(input: DecodeInput): Generator<void, Decoded> {
  const form = speechFormatOf(input.route.provider.speech);
  return form?.readResponse === undefined ? yield* decodeBytesLong(input) : yield* decodeVendorSpeech(input, form);
}

/** Decodes a body that does not begin like a sound: an error, or raw samples. */
function decodeBytes(input: DecodeInput): Decoded {
  const { body, responseFields } = input;
  const text = body.toString('utf8');
  const error = errorIn(input, text);
  if (error !== null || body.length === 0 || parseObject(text) !== null || /^\s*[<[]/.test(text)) return { kind: 'failed', error };
  const { characters } = responseFields;
  return {
    kind: 'whole',
    usage: null,
    ...(typeof characters === 'number' ? { units: charactersOf(characters) } : {}),
    outputTokens: 0,
    isEmpty: false,
    written: () => '',
    body: () => body,
    events: () => soundAsEvent(body),
  };
}
