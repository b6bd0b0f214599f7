// Transcribes speech with Ali's models through a chat request that contains the sound.
// https://help.aliyun.com/zh/model-studio/qwen-speech-recognition
import { AppError } from '#shared/errors.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { badField, type Body } from '#server/framing/strict-fields.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { base64Of } from '#server/framing/base64-source.ts';
import { PiecedBody, sourceOf } from '#server/framing/byte-source.ts';
import { MultipartFile } from '#server/framing/multipart.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { encoded, withOverride } from '../forward-body.ts';

/** Limit of the base64. */
const mostBytes = 10 * 1024 * 1024;
const tooLong = { zh: '不能超过 7.5 MB', en: 'must not be larger than 7.5 MB' };
const title = { zh: '此提供商的语音转写接口', en: "this provider's transcriptions" };
const place = 'SOUND';
const known: ReadonlySet<string> = new Set(['model', 'file', 'language', 'prompt', 'response_format', 'stream']);

/** @throws {AppError} `untranslatable` for formats with timestamps, `invalid_request` for sounds that are too long */
export function encodeAsChat(requested: CallInput): EncodedRequest {
  const { call, dropped } = withoutSurcharges({ ...requested, isPassThrough: false });
  const { file, language, prompt, response_format: format } = withOverride(call.body, call);
  // The response has no timestamps.
  if (format === 'srt' || format === 'vtt') throw untranslatable('response_format', title);
  const sound: unknown = Array.isArray(file) ? file[0] : undefined;
  if (!(sound instanceof MultipartFile)) throw new AppError('internal_error');
  const content = base64Of(sound.content);
  if (content.size > mostBytes) throw badField('file', tooLong);
  const received = { role: 'user', content: [{ type: 'input_audio', input_audio: { data: place } }] };
  const context = typeof prompt === 'string' && prompt !== '' ? [{ role: 'system', content: [{ type: 'text', text: prompt }] }] : [];
  const options = typeof language === 'string' && language !== '' ? { asr_options: { language } } : {};
  const text = JSON.stringify({
    model: requested.route.upstreamModel,
    stream: false,
    ...options,
    messages: [received, ...context].toReversed(),
  });
  // A caller's text cannot match: quotes inside JSON strings are escaped.
  const [before = '', after = ''] = text.split(`"data":"${place}"`);
  const type = /^audio\/[\w.+-]{1,40}$/.test(sound.type) ? sound.type : 'audio/mpeg';
  const left = Object.keys(call.body).filter((name) => !known.has(name));
  return {
    ...encoded(requested, ''),
    body: new PiecedBody([sourceOf(Buffer.from(`${before}"data":"data:${type};base64,`)), content, sourceOf(Buffer.from(`"${after}`))]),
    dropped: [...dropped, ...left.map((name) => name.replace(/\[\]$/, '')), ...(format === 'verbose_json' ? ['response_format'] : [])],
    isWhole: true,
  };
}

/** Maps the chat response to a transcript, billed by its seconds; returns null if it has no text. */
export function transcriptOfChat({ choices, usage }: Body): Record<string, unknown> | null {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(first) ? first.message : undefined;
  if (!isObject(message) || typeof message.content !== 'string') return null;
  const seconds = isObject(usage) ? usage.seconds : undefined;
  return { text: message.content, ...(typeof seconds === 'number' ? { usage: { type: 'duration', seconds } } : {}) };
}
