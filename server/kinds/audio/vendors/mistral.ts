// Speech of Mistral, in base64 events. Mistral rejects unknown fields.
// https://docs.mistral.ai/studio/audio/text-to-speech/quickstarts
import { droppedOf, type SpeechFormat, voiceOf } from '../speech-format.ts';

const formats = new Set(['mp3', 'wav', 'flac', 'opus']);

export const mistral: SpeechFormat = {
  // Mistral's raw samples are 32-bit floats, which OpenAI's callers do not expect.
  headsSamples: true,
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, 'en_paul_neutral');
    const { response_format: wanted, ref_audio: sample } = body;
    const known = typeof wanted === 'string' && formats.has(wanted) ? wanted : undefined;
    const isPlain = wanted === 'pcm';
    const isSampled = typeof sample === 'string' && sample !== '';
    return {
      body: {
        model,
        input: body.input,
        ...(isSampled ? { ref_audio: sample } : { voice_id: voice }),
        response_format: known ?? (isPlain ? 'wav' : 'mp3'),
        stream: true,
      },
      dropped: [
        ...(isSampled ? [] : dropped),
        ...droppedOf(body, ['voice', 'ref_audio', ...(known !== undefined || isPlain ? ['response_format'] : [])]),
      ],
      streamed: isPlain ? 'pcm' : (known ?? 'mp3'),
    };
  },
  // Mistral reports tokens but bills characters.
  readResponse({ audio_data: data }) {
    return typeof data === 'string' && data !== '' ? { base64: data, usage: null } : null;
  },
  readEvent({ type, audio_data: data }) {
    if (type === 'speech.audio.done') return { isLast: true };
    if (type !== 'speech.audio.delta' || typeof data !== 'string') return null;
    return { sound: Buffer.from(data, 'base64') };
  },
};
