// Speech of MiniMax, told in hexadecimal. https://platform.minimax.io/docs/api-reference/speech-t2a-http
import { tokenCount } from '#server/dialects/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens } from '#shared/token-usage.ts';
import { droppedOf, speedIn, voiceOf } from '../speech-form.ts';
import type { SpeechForm } from '../speech-form.ts';

const formats = new Set(['mp3', 'pcm', 'flac', 'wav']);
const speeds = [0.5, 2] as const;
const own = ['language_boost', 'pronunciation_dict', 'emotion'];

export const minimax: SpeechForm = {
  countsCharacters: true,
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, 'male-qn-qingse');
    const { response_format: wanted, emotion } = body;
    const isKnown = typeof wanted === 'string' && formats.has(wanted);
    const speed = speedIn(body, speeds);
    const extras = Object.fromEntries(
      ['language_boost', 'pronunciation_dict'].flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
    );
    return {
      body: {
        ...extras,
        model,
        text: body.input,
        stream: false,
        output_format: 'hex',
        voice_setting: {
          voice_id: voice,
          ...(speed === undefined ? {} : { speed }),
          ...(typeof emotion === 'string' ? { emotion } : {}),
        },
        // OpenAI's samples are of this rate.
        audio_setting: { format: isKnown ? wanted : 'mp3', channel: 1, ...(wanted === 'pcm' ? { sample_rate: 24_000 } : {}) },
      },
      dropped: [...dropped, ...droppedOf(body, ['voice', 'speed', ...own, ...(isKnown ? ['response_format'] : [])])],
    };
  },
  readResponse({ data, extra_info: extra }) {
    if (!isObject(data) || typeof data.audio !== 'string' || data.audio === '') return null;
    const characters = isObject(extra) ? tokenCount(extra.usage_characters) : undefined;
    return { hex: data.audio, usage: characters === undefined || characters === 0 ? null : { ...noTokens, input: characters } };
  },
};
