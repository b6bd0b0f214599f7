// Speech of Zhipu, returned as raw sound. https://docs.bigmodel.cn/api-reference/模型-api/文本转语音
import { droppedOf, type SpeechFormat, speedIn, voiceOf } from '../speech-format.ts';

const speeds = [0.5, 2] as const;

export const zhipu: SpeechFormat = {
  writeRequest(body, model) {
    const { voice, dropped } = voiceOf(body, 'tongtong');
    const speed = speedIn(body, speeds);
    const { response_format: wanted, volume, watermark_enabled: watermark } = body;
    const isKnown = wanted === 'pcm' || wanted === 'wav';
    return {
      body: {
        model,
        input: body.input,
        voice,
        response_format: isKnown ? wanted : 'wav',
        ...(speed === undefined ? {} : { speed }),
        ...(typeof volume === 'number' ? { volume } : {}),
        ...(typeof watermark === 'boolean' ? { watermark_enabled: watermark } : {}),
      },
      dropped: [...dropped, ...droppedOf(body, ['voice', 'speed', 'volume', 'watermark_enabled', ...(isKnown ? ['response_format'] : [])])],
    };
  },
};
