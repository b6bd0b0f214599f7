// Responses of vendor speech formats: the sound is extracted, or downloaded from the reported URL, and sent as OpenAI's
// bytes.
import { writeJson } from '#server/framing/long-json.ts';
import { randomUUID } from 'node:crypto';
import type { DecodedWhole, DecodeInput, FailedWhole } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { LinkedContents } from '#server/formats/linked-contents.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { type LiftedJson, liftLongTexts, spanAt } from '#server/framing/long-texts.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { soundAsEvent } from '#server/framing/sound-splitter.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import { encoded, errorIn, withOverride } from '../forward-body.ts';
import { anyType, type Body, type ReportedSpeech, type SpeechFormat } from './speech-format.ts';
import { billedCharacters, charactersOf, soundType, speaksTokens, SpokenTally } from './spoken-sound.ts';
import { samplesAt, wavHead } from './wav-head.ts';

/** Member that holds the usage of a response whose sound was downloaded; a random name that no provider can use. */
const fetchedMark = `fetched ${randomUUID()}`;
const longestAddress = 1024 * 1024;

export function encodeVendorSpeech(requested: CallInput, form: SpeechFormat): EncodedRequest {
  const { call, dropped } = withoutSurcharges({ ...requested, isPassThrough: false });
  const written = form.writeRequest(withOverride(call.body, call), requested.route.upstreamModel);
  const request = {
    ...encoded(requested, writeJson(written.body, requested.longTexts)),
    headers: written.headers ?? null,
    dropped: [...new Set([...dropped, ...written.dropped])],
  };
  if (written.streamed !== undefined) return { ...request, streamType: soundType(written.streamed) };
  if (form.readResponse === undefined) return { ...request, headers: { ...anyType, ...request.headers } };
  return { ...request, isWhole: true, contents: contentsOf(form) };
}

function contentsOf({ readResponse }: SpeechFormat): LinkedContents {
  return (response) => {
    const reported = response.length > longestAddress ? null : parseObject(response.toString('utf8'));
    const read = reported === null ? null : (readResponse?.(reported) ?? null);
    if (read === null || 'error' in read || read.url === undefined) return null;
    const { usage } = read;
    const head = `{"${fetchedMark}":${JSON.stringify(usage)},"sound":"`;
    const put = ([sound = Buffer.alloc(0)]: readonly Buffer[]) =>
      Buffer.concat([Buffer.from(head), Buffer.from(sound.toString('base64'), 'latin1'), Buffer.from('"}')]);
    return { addresses: [read.url], put };
  };
}

export function* decodeVendorSpeech(input: DecodeInput, form: SpeechFormat): Generator<void, DecodedWhole | FailedWhole> {
  const { readResponse } = form;
  const lifted = yield* liftLongTexts(input.body);
  const error = lifted === null ? null : errorIn(input, lifted.text);
  const reported = lifted === null || error !== null ? null : parseObject(lifted.text);
  if (error !== null) {
    // Failed requests are not billed.
    const { usage: _billed, ...free } = error;
    return { kind: 'failed', error: free };
  }
  if (lifted === null || reported === null) return { kind: 'failed', error: null };
  const read = reported[fetchedMark] === undefined ? (readResponse?.(reported) ?? null) : fetchedIn(reported);
  if (read === null || 'error' in read) return { kind: 'failed', error: read?.error ?? null };
  const bytes = bytesOf(input, read, lifted);
  if (bytes === null) return { kind: 'failed', error: null };
  const start = form.headsSamples === true && input.responseFields.response_format === 'pcm' ? samplesAt(bytes) : 0;
  return typeof start === 'number' ? spoken(input, read, bytes.subarray(start)) : { kind: 'failed', error: null };
}

/** Reads the body that `contentsOf` wrote. */
function fetchedIn(reported: Body): ReportedSpeech {
  const { sound, [fetchedMark]: usage } = reported;
  return { base64: typeof sound === 'string' ? sound : '', usage: isUsage(usage) ? usage : null };
}

function isUsage(value: unknown): value is TokenUsage {
  return isObject(value) && 'audioOutput' in value;
}

/** Returns null if it is not a sound. */
function bytesOf({ body }: DecodeInput, { base64, hex }: ReportedSpeech, lifted: LiftedJson): Buffer | null {
  const text = base64 ?? hex ?? '';
  const span = spanAt(text, lifted);
  const letters = span === undefined ? text : body.toString('latin1', span.start, span.end);
  const bytes = Buffer.from(letters, base64 === undefined ? 'hex' : 'base64');
  return bytes.length === 0 || /^\s*[<[{]/.test(bytes.toString('latin1', 0, 64)) ? null : bytes;
}

function spoken({ responseFields, upstreamModel }: DecodeInput, { usage, sampleRate }: ReportedSpeech, bytes: Buffer): DecodedWhole {
  const { response_format: wanted } = responseFields;
  const isPlain = sampleRate !== undefined;
  const sound = isPlain && wanted !== 'pcm' ? Buffer.concat([wavHead(sampleRate, bytes.length), bytes]) : bytes;
  const tally = new SpokenTally(wanted, upstreamModel);
  tally.add(sound);
  const counted = usage !== null && usage.output === 0 ? usage.input : billedCharacters(upstreamModel, responseFields);
  return {
    kind: 'whole',
    usage,
    ...(counted === undefined ? {} : { units: charactersOf(counted) }),
    outputTokens: speaksTokens(upstreamModel) ? tally.tokens : 0,
    contentType: typeOf(sound, wanted),
    isEmpty: false,
    written: () => '',
    body: () => sound,
    events: () => eventsOf(sound, usage),
  };
}

/** Detects the media type from the bytes, whatever was requested. */
function typeOf(sound: Buffer, wanted: unknown): string {
  const begin = sound.toString('latin1', 0, 4);
  if (begin === 'RIFF') return soundType('wav');
  if (begin === 'fLaC') return soundType('flac');
  if (begin === 'OggS') return soundType('opus');
  return wanted === 'pcm' ? soundType('pcm') : soundType('mp3');
}

/** Bytes of sound per event. */
const pieceBytes = 192 * 1024;

function eventsOf(sound: Buffer, usage: TokenUsage | null): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < sound.length; at += pieceBytes) pieces.push(soundAsEvent(sound.subarray(at, at + pieceBytes)));
  if (usage === null) return Buffer.concat(pieces);
  const reported = { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.input + usage.output };
  return Buffer.concat([...pieces, Buffer.from(`data: ${JSON.stringify({ type: 'speech.audio.done', usage: reported })}\n\n`)]);
}
