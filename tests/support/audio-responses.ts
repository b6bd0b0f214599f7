// Audio responses of the fake upstream: as OpenAI does, whose models bill tokens or seconds by their name, or as others that report no usage.
// https://platform.openai.com/docs/api-reference/audio
import { isObject } from '#server/framing/loose-json.ts';
import type { SentFile } from './sent-form.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';

export interface TranscriptRequest {
  model: string;
  format: string;
  stream: boolean;
  text: string;
}

/** Transcript of every recording. */
export const receivedText = 'The tide comes in. It goes out.';
/** Seconds reported by a model that bills by them. */
export const receivedSeconds = 9;
export const transcriptionUsage = {
  type: 'tokens',
  total_tokens: 120,
  input_tokens: 100,
  input_token_details: { text_tokens: 10, audio_tokens: 90 },
  output_tokens: 20,
};

/** Frames of MP3 with 128 kbit/s at 44.1 kHz, so that each piece is a second and a little. */
export const spokenPieces: readonly Buffer[] = Array.from({ length: 4 }, (_, index) => {
  const frame = Buffer.alloc(417, index + 1);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: 40 }, () => frame));
});
export const spokenSeconds = (4 * 40 * 1152) / 44_100;
export const spokenUsage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };

export interface SpeechRequest {
  isEvents: boolean;
  type: string;
}

/** Models of their own names know what those of OpenAI do, and `groq-tts` alone speaks in WAV where it may choose. */
export function readSpeech(body: unknown): SpeechRequest | UpstreamError {
  if (!isObject(body) || typeof body['model'] !== 'string') return refusal('you must provide a model parameter', 'model');
  const { model, input, voice, stream_format: format, response_format: sound } = body;
  if (typeof input !== 'string' || input === '') return refusal('input is required', 'input');
  if (typeof voice !== 'string') return refusal('voice is required', 'voice');
  if (format !== undefined && !model.startsWith('gpt-')) return refusal(`stream_format is not supported by ${model}`, 'stream_format');
  const type = typeof sound === 'string' ? `audio/${sound}` : model.startsWith('groq') ? 'audio/wav' : 'audio/mpeg';
  return { isEvents: format === 'sse', type };
}

const formats: readonly (readonly [model: RegExp, formats: readonly string[]])[] = [
  [/^gpt-4o-transcribe-diarize/, ['json', 'text', 'diarized_json']],
  [/^gpt-/, ['json', 'text']],
  [/^whisper-large/, ['json', 'text', 'verbose_json']],
  [/./, ['json', 'text', 'srt', 'verbose_json', 'vtt']],
];

/** Returns the parsed request, or the refusal: all fields are checked as the vendors do. */
export function readTranscript(body: unknown, what: string, files: readonly SentFile[]): TranscriptRequest | UpstreamError {
  if (!isObject(body) || typeof body['model'] !== 'string') return refusal('you must provide a model parameter', 'model');
  const { model, response_format: format = 'json', stream, file_url: address } = body;
  if (files.length !== 1 || files[0]?.name !== 'file') return refusal('file is required', 'file');
  if (address !== undefined) return refusal('Unknown parameter: file_url', 'file_url');
  const known = formats.find(([name]) => name.test(model))?.[1] ?? [];
  if (typeof format !== 'string' || !known.includes(format))
    return refusal(`response_format '${String(format)}' is not compatible with model '${model}'`, 'response_format');
  const isStream = stream === 'true' && model.startsWith('gpt-') && what === 'transcriptions';
  return { model, format, stream: isStream, text: receivedText };
}

const segments = [
  { id: 0, seek: 0, start: 0, end: 4.32, text: ' The tide comes in.', tokens: [1], temperature: 0, avg_logprob: -0.2 },
  { id: 1, seek: 0, start: 4.32, end: 8.5, text: ' It goes out.', tokens: [2], temperature: 0, avg_logprob: -0.2 },
];

export function transcriptOf({ model, format, text }: TranscriptRequest, behaviour: Behaviour): object {
  const reported = { text: behaviour.text ?? text, ...usageOf(model, behaviour) };
  if (format === 'verbose_json') return { task: 'transcribe', language: 'english', duration: 8.47, ...reported, segments };
  if (format !== 'diarized_json') return reported;
  const spoken = segments.map(({ start, end, text: said }, index) => ({
    type: 'transcript.text.segment',
    id: `seg_${index}`,
    start,
    end,
    text: said,
    speaker: index === 0 ? 'A' : 'B',
  }));
  return { task: 'transcribe', duration: 8.47, ...reported, segments: spoken };
}

export function* transcriptEvents({ model, text }: TranscriptRequest, behaviour: Behaviour): Generator<{ type: string }> {
  const whole = behaviour.text ?? text;
  for (const delta of whole.split(/(?<= )/)) yield { type: 'transcript.text.delta', delta } as { type: string };
  yield { type: 'transcript.text.done', text: whole, ...usageOf(model, behaviour) } as { type: string };
}

function usageOf(model: string, { usage }: Pick<Behaviour, 'usage'>): object {
  if (usage !== undefined) return usage === 'none' ? {} : { usage };
  if (model.startsWith('gpt-')) return { usage: transcriptionUsage };
  return model === 'whisper-1' ? { usage: { type: 'duration', seconds: receivedSeconds } } : {};
}

/** A sound without compression, as many seconds long. */
export function waveOf(seconds: number, rate = 8000): Buffer {
  const size = Math.round(seconds * rate);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(size, 40);
  return Buffer.concat([head, Buffer.alloc(size, 0x80)]);
}

function refusal(message: string, param: string): UpstreamError {
  return { message, type: 'invalid_request_error', param, code: null };
}
