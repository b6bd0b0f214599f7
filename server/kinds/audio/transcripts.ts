// Transcriptions, and translations into English, for callers of OpenAI's format. Upstream requests always want JSON,
// the only response format that reports usage. https://platform.openai.com/docs/api-reference/audio
import type { DecodeInput } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import type { IdentityPath } from '#server/formats/identity.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { type CallKind, type CallKindName, type Decoded, jsonType, megabyte, openaiCall } from '../call-kind.ts';
import { errorIn, inOneStep } from '../forward-body.ts';
import { forwardMultipart } from '../forward-multipart.ts';
import { isByTokens, minutesOf } from './input-audio.ts';
import { vendorTranscriptsOf } from './vendor-transcripts.ts';
import { asSrt, asVtt, segmentsOf } from './subtitles.ts';
import { transcriptFormat } from './transcript-formats.ts';
import { TranscriptStream } from './transcript-stream.ts';
import { readTranscriptUsage } from './transcript-usage.ts';
import { transcriptionsClient, translationsClient } from './transcripts-client.ts';

export const transcriptions = transcriptKind('transcriptions', transcriptionsClient, true);
export const translations = transcriptKind('translations', translationsClient, false);

function transcriptKind(name: CallKindName, client: ClientCall, canStream: boolean): CallKind {
  const decodeLong = inOneStep(decode);
  const identity: IdentityPath = {
    writeRequest: (requested) => encode(requested, name === 'translations'),
    readWhole: decode,
    readLong: decodeLong,
    openStream: (input) => new TranscriptStream(input),
  };
  return {
    name,
    canStream,
    // Hours of speech with timestamps of words.
    mostResponseBytes: 16 * megabyte,
    contentType: jsonType,
    isWritten: false,
    isText: true,
    isCount: false,
    over: null,
    identityOf: (caller, dialect) => (dialect.name === caller.name ? identity : null),
    clientCall: openaiCall(client),
    encode: (requested) => encode(requested, name === 'translations'),
    decode,
    decodeLong,
  };
}

/** Response format requested upstream for those that differ. */
const requestedAs: Readonly<Record<string, string>> = { text: 'json', srt: 'verbose_json', vtt: 'verbose_json' };
const plainType = 'text/plain; charset=utf-8';

function encode(requested: CallInput, isTranslated: boolean): EncodedRequest {
  const own = vendorTranscriptsOf(requested);
  if (own !== null) return own.encode(requested, isTranslated);
  const form = transcriptFormat(requested.route.provider.transcripts, requested.body);
  if (form !== null) {
    const { dropped, ...request } = forwardMultipart({ ...requested, isPassThrough: false }, form.fields);
    return { ...request, dropped: [...dropped, ...form.dropped], ...(form.isWhole === true ? { isWhole: true } : {}) };
  }
  const format = requestedAs[String(requested.body.response_format)];
  return forwardMultipart(requested, format === undefined ? {} : { response_format: format });
}

function decode(input: DecodeInput): Decoded {
  const text = input.body.toString('utf8');
  const reported = parseObject(text);
  const own = vendorTranscriptsOf(input);
  if (own === null) return reported === null ? ofText(input, text) : ofJson(input, reported, text);
  const error = errorIn(input, text);
  const received = reported === null || error !== null ? null : own.read(reported);
  if (received === null) return { kind: 'failed', error };
  const json = JSON.stringify(received);
  return ofJson({ ...input, body: Buffer.from(json) }, received, json);
}

/** Decodes a plain text, which the channel's settings or the pass-through may have requested. */
function ofText(input: DecodeInput, text: string): Decoded {
  const { response_format: format } = input.responseFields;
  const isPlain = typeof format === 'string' && format in requestedAs && !/^\s*[<[{]/.test(text);
  if (!isPlain || text.trim() === '') return { kind: 'failed', error: null };
  return {
    kind: 'whole',
    usage: null,
    ...measured(input),
    isEmpty: false,
    contentType: plainType,
    written: () => text,
    body: () => input.body,
    events: () => eventsOf({ text }),
  };
}

function ofJson(input: DecodeInput, reported: Body, text: string): Decoded {
  const error = errorIn(input, text);
  if (error !== null || typeof reported.text !== 'string') return { kind: 'failed', error };
  const { usage, seconds } = readTranscriptUsage(reported);
  if (usage === undefined) return { kind: 'failed', error: null };
  const written = reported.text;
  const { response_format: format } = input.responseFields;
  const plain = plainOf(reported, format, seconds ?? input.responseFields.seconds);
  if (plain === undefined) return { kind: 'failed', error: null };
  return {
    kind: 'whole',
    usage,
    ...measured(input, seconds),
    // The transcript of silence is empty.
    isEmpty: false,
    ...(plain === null ? {} : { contentType: plainType }),
    written: () => written,
    body: () => (plain === null ? input.body : Buffer.from(plain)),
    events: () => eventsOf(reported),
  };
}

/**
 * Returns null if the caller wants JSON; undefined if subtitles are wanted but neither timestamps nor the sound's
 * length is known.
 * @param seconds length of the sound: without timestamps, the text becomes one subtitle
 */
function plainOf(reported: Body, format: unknown, seconds: unknown): string | null | undefined {
  if (format === 'text') return `${String(reported.text)}\n`;
  if (format !== 'srt' && format !== 'vtt') return null;
  const segments = segmentsOf(reported) ?? [];
  const text = String(reported.text).trim();
  if (segments.length === 0 && text !== '') {
    if (typeof seconds !== 'number') return undefined;
    segments.push({ start: 0, end: seconds, text });
  }
  return format === 'srt' ? asSrt(segments) : asVtt(segments);
}

/** Billing units in addition to reported tokens. */
function measured(
  { responseFields, upstreamModel }: Pick<DecodeInput, 'responseFields' | 'upstreamModel'>,
  reported?: number,
): { units?: ReturnType<typeof minutesOf>; outputTokens?: number } {
  const seconds = reported ?? responseFields.seconds;
  return {
    ...(typeof seconds === 'number' ? { units: minutesOf(seconds) } : {}),
    ...(isByTokens(upstreamModel) ? {} : { outputTokens: 0 }),
  };
}

/** Events for callers who want a stream from a provider or model that does not stream. */
function eventsOf({ text, usage, logprobs, languages }: Body): Buffer {
  const done = { type: 'transcript.text.done', text, logprobs, languages, usage };
  return Buffer.from([{ type: 'transcript.text.delta', delta: text }, done].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}
