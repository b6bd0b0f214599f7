// Speech of Volcano's Doubao, in base64 events. A header names the requested resource, which is the model.
// https://www.volcengine.com/docs/6561/1598757
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens } from '#shared/token-usage.ts';
import { type Body, droppedOf, type SpeechFormat, speedIn, voiceOf } from '../speech-format.ts';

const formats: Readonly<Record<string, string>> = { mp3: 'mp3', pcm: 'pcm', opus: 'ogg_opus' };
const speeds = [0.5, 2] as const;
const finished = 20_000_000;

export const volc: SpeechFormat = {
  countsCharacters: true,
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, model.includes('2.0') ? 'zh_female_vv_uranus_bigtts' : 'zh_female_shuangkuaisisi_moon_bigtts');
    const { response_format: wanted, emotion, user } = body;
    const isKnown = typeof wanted === 'string' && Object.hasOwn(formats, wanted);
    const format = isKnown ? wanted : 'mp3';
    const speed = speedIn(body, speeds);
    return {
      body: {
        ...(typeof user === 'string' ? { user: { uid: user } } : {}),
        req_params: {
          text: body.input,
          speaker: voice,
          audio_params: {
            format: formats[format],
            // Rate of OpenAI's samples.
            sample_rate: 24_000,
            ...(speed === undefined ? {} : { speech_rate: Math.round((speed - 1) * 100) }),
            ...(typeof emotion === 'string' ? { emotion } : {}),
          },
        },
      },
      headers: { 'x-api-resource-id': model, 'x-control-require-usage-tokens-return': 'text_words' },
      dropped: [...dropped, ...droppedOf(body, ['voice', 'speed', 'emotion', 'user', ...(isKnown ? ['response_format'] : [])])],
      streamed: format,
    };
  },
  readResponse(reported) {
    const error = errorIn(reported);
    return error === null ? null : { error };
  },
  readEvent(reported) {
    if (typeof reported.code !== 'number') return null;
    const error = errorIn(reported);
    if (error !== null) return { error };
    if (reported.code !== finished) return typeof reported.data === 'string' ? { sound: Buffer.from(reported.data, 'base64') } : {};
    const words = isObject(reported.usage) ? tokenCount(reported.usage.text_words) : undefined;
    return { isLast: true, usage: words === undefined || words === 0 ? null : { ...noTokens, input: words } };
  },
};

/** Codes of client errors begin with 45. */
function errorIn({ code, message, header }: Body): ErrorInResponse | null {
  const reported: Body = isObject(header) ? header : { code, message };
  if (typeof reported.code !== 'number' || reported.code === 0 || reported.code === finished) return null;
  const text = typeof reported.message === 'string' && reported.message !== '' ? reported.message : 'The provider has spoken nothing';
  const isTooMuch = /quota|concurrency/i.test(text);
  const isBad = String(reported.code).startsWith('45');
  return { status: isTooMuch ? 429 : isBad ? 400 : 502, message: text, type: 'volcengine_error', param: '', code: reported.code };
}
