// Speech of Gemini models, returned as raw samples in a chat response.
// https://ai.google.dev/gemini-api/docs/speech-generation
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { tokenCount } from '#server/formats/token-usage.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { noTokens, type TokenUsage } from '#shared/token-usage.ts';
import { droppedOf, type SpeechFormat, voiceOf } from '../speech-format.ts';

const usualRate = 24_000;

export const google: SpeechFormat = {
  writeRequest(body) {
    const { voice, dropped } = voiceOf(body, 'Kore');
    const { input, instructions } = body;
    const text = typeof instructions === 'string' && instructions !== '' ? `${instructions}: ${String(input)}` : input;
    const asSamples = body.response_format === 'wav' || body.response_format === 'pcm';
    return {
      body: {
        contents: [{ role: 'user', parts: [{ text }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
        },
      },
      dropped: [...dropped, ...droppedOf(body, ['voice', 'instructions', ...(asSamples ? ['response_format'] : [])])],
    };
  },
  readResponse({ candidates, usageMetadata }) {
    const rows: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
    if (!isObject(rows)) return refused('no sound');
    const parts: readonly unknown[] = isObject(rows.content) && Array.isArray(rows.content.parts) ? rows.content.parts : [];
    for (const part of parts) {
      const sound = isObject(part) ? part.inlineData : undefined;
      if (!isObject(sound) || typeof sound.data !== 'string') continue;
      const isPlain = /L16|pcm/i.test(String(sound.mimeType));
      const rate = Number(/rate=(\d{4,6})/.exec(String(sound.mimeType))?.[1] ?? usualRate);
      return { base64: sound.data, ...(isPlain ? { sampleRate: rate } : {}), usage: readUsage(usageMetadata) };
    }
    return refused(typeof rows.finishReason === 'string' ? rows.finishReason : 'no sound');
  },
};

function refused(reason: string): { error: ErrorInResponse } {
  return {
    error: {
      status: 400,
      message: `The model has spoken nothing (${reason})`,
      type: 'invalid_request_error',
      param: 'input',
      code: 'content_filter',
    },
  };
}

function readUsage(reported: unknown): TokenUsage | null {
  if (!isObject(reported)) return null;
  const [input = 0, output = 0] = [tokenCount(reported.promptTokenCount), tokenCount(reported.candidatesTokenCount)];
  return input + output === 0 ? null : { ...noTokens, input, output, audioOutput: output };
}
