// Transcription by Workers AI. Older models take raw bytes, the newest a JSON object with base64.
// https://developers.cloudflare.com/workers-ai/models/whisper/
// https://developers.cloudflare.com/workers-ai/models/whisper-large-v3-turbo/
import { AppError } from '#shared/errors.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { untranslatable } from '#server/formats/losses.ts';
import type { Body } from '#server/framing/strict-fields.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { base64Of } from '#server/framing/base64-source.ts';
import { PiecedBody, sourceOf } from '#server/framing/byte-source.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { encoded, withOverride } from '../forward-body.ts';

/** Prefix of models that take JSON and can translate. */
export const saying = '@cf/openai/whisper-large-v3';
const title = { zh: '此提供商的语音转写接口', en: "this provider's transcriptions" };
const ofResponse: ReadonlySet<string> = new Set(['model', 'file', 'response_format', 'stream']);
const known: ReadonlySet<string> = new Set(['language', 'prompt', 'vad_filter', 'prefix']);

/** @throws {AppError} `untranslatable` for subtitles of a model without timestamps */
export function encodeForWorkers(requested: CallInput, isTranslated: boolean): EncodedRequest {
  const { call, dropped } = withoutSurcharges({ ...requested, isPassThrough: false });
  const body: Body = withOverride(call.body, call);
  const sound: unknown = Array.isArray(body.file) ? body.file[0] : undefined;
  if (!(sound instanceof MultipartFile)) throw new AppError('internal_error');
  const says = requested.route.upstreamModel.startsWith(saying);
  if (!says && (body.response_format === 'srt' || body.response_format === 'vtt')) throw untranslatable('response_format', title);
  const left = Object.keys(call.body).filter((name) => !ofResponse.has(name) && !(says && known.has(name)));
  const request = {
    ...encoded(requested, ''),
    dropped: [...dropped, ...left.map((name) => name.replace(/\[\]$/, ''))],
    isWhole: true,
  } as const;
  if (!says) return { ...request, body: new PiecedBody([sound.content]), headers: { 'content-type': 'application/octet-stream' } };
  const { language, prompt, vad_filter: filters, prefix } = body;
  const fields = JSON.stringify({
    task: isTranslated ? 'translate' : 'transcribe',
    ...textIn('language', language),
    ...textIn('initial_prompt', prompt),
    ...textIn('prefix', prefix),
    ...(filters === undefined ? {} : { vad_filter: filters === true || filters === 'true' }),
  });
  const head = Buffer.from(`${fields.slice(0, -1)},"audio":"`);
  return { ...request, body: new PiecedBody([sourceOf(head), base64Of(sound.content), sourceOf(Buffer.from('"}'))]) };
}

function textIn(name: string, value: unknown): Record<string, string> {
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}

export function transcriptOfWorkers({ result }: Body): Record<string, unknown> | null {
  if (!isObject(result) || typeof result.text !== 'string') return null;
  const { text, segments, words, transcription_info: info } = result;
  const { duration, language } = isObject(info) ? info : {};
  return {
    text,
    ...(typeof language === 'string' ? { language } : {}),
    ...(typeof duration === 'number' ? { duration, usage: { type: 'duration', seconds: duration } } : {}),
    ...(Array.isArray(segments) ? { segments } : {}),
    ...(Array.isArray(words) ? { words } : {}),
  };
}
