// Speech of MiniMax, in hexadecimal, streamed where possible.
// https://platform.minimax.io/docs/api-reference/speech-t2a-http
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { droppedOf, type SpeechFormat, speedIn, voiceOf } from '../speech-format.ts';

const formats = new Set(['mp3', 'pcm', 'flac', 'wav']);
const speeds = [0.5, 2] as const;
const own = ['language_boost', 'pronunciation_dict', 'emotion'];

export const minimax: SpeechFormat = {
  countsCharacters: true,
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, 'male-qn-qingse');
    const { response_format: wanted, emotion } = body;
    const isKnown = typeof wanted === 'string' && formats.has(wanted);
    const format = isKnown ? wanted : 'mp3';
    const speed = speedIn(body, speeds);
    // A WAV file cannot stream: its header has its length.
    const streams = format !== 'wav';
    const extras = Object.fromEntries(
      ['language_boost', 'pronunciation_dict'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    );
    return {
      body: {
        ...extras,
        model,
        text: body.input,
        stream: streams,
        // Otherwise the last event repeats the whole sound.
        ...(streams ? { stream_options: { exclude_aggregated_audio: true } } : {}),
        output_format: 'hex',
        voice_setting: {
          voice_id: voice,
          ...(speed === undefined ? {} : { speed }),
          ...(typeof emotion === 'string' ? { emotion } : {}),
        },
        // Rate of OpenAI's samples.
        audio_setting: { format, channel: 1, ...(wanted === 'pcm' ? { sample_rate: 24_000 } : {}) },
      },
      dropped: [...dropped, ...droppedOf(body, ['voice', 'speed', ...own, ...(isKnown ? ['response_format'] : [])])],
      ...(streams ? { streamed: format } : {}),
    };
  },
  readResponse({ data, extra_info: extra }) {
    if (!isObject(data) || typeof data.audio !== 'string' || data.audio === '') return null;
    return { hex: data.audio, usage: charactersIn(extra) };
  },
  readEvent({ data, extra_info: extra }) {
    if (!isObject(data)) return null;
    const sound = typeof data.audio === 'string' ? Buffer.from(data.audio, 'hex') : undefined;
    const piece = sound === undefined || sound.length === 0 ? {} : { sound };
    return data.status === 2 ? { ...piece, isLast: true, usage: charactersIn(extra) } : piece;
  },
};

/** Returns null if no usage is reported. */
function charactersIn(extra: unknown): TokenUsage | null {
  const count = isObject(extra) ? tokenCount(extra.usage_characters) : undefined;
  return count === undefined || count === 0 ? null : { ...noTokens, input: count };
}
