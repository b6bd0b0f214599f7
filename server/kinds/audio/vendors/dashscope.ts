// Speech of Ali, whose response has the URL of the sound. https://help.aliyun.com/zh/model-studio/qwen-tts-api
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens } from '#shared/token-usage.ts';
import { droppedOf, type SpeechFormat, voiceOf } from '../speech-format.ts';

export const dashscope: SpeechFormat = {
  countsCharacters: true,
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, 'Cherry');
    const { language_type: language, instructions } = body;
    const isGuided = typeof instructions === 'string' && instructions !== '' && model.includes('instruct');
    const input = {
      text: body.input,
      voice,
      ...(typeof language === 'string' ? { language_type: language } : {}),
      ...(isGuided ? { instructions } : {}),
    };
    const isWav = body.response_format === 'wav';
    const known = ['voice', 'language_type', ...(isGuided ? ['instructions'] : []), ...(isWav ? ['response_format'] : [])];
    return { body: { model, input }, dropped: [...dropped, ...droppedOf(body, known)] };
  },
  readResponse({ output, usage }) {
    if (!isObject(output) || !isObject(output.audio)) return null;
    const { url, data } = output.audio;
    const reported = isObject(usage) ? usage : {};
    const characters = tokenCount(reported.characters);
    const [input = 0, spoken = 0] = [tokenCount(reported.input_tokens), tokenCount(reported.output_tokens)];
    const tokens = input + spoken === 0 ? null : { ...noTokens, input, output: spoken, audioOutput: spoken };
    const used = characters === undefined || characters === 0 ? tokens : { ...noTokens, input: characters };
    if (typeof url === 'string' && url !== '') return { url, usage: used };
    return typeof data === 'string' && data !== '' ? { base64: data, usage: used } : null;
  },
};
