// Bots of Coze. The channel's free field has the bot's id; without it, the model's name is the id.
// https://www.coze.cn/open/docs/developer_guides/chat_v3
import type { ProviderRecord } from './spec.ts';

const baseUrl = 'https://api.coze.cn';

export const coze: ProviderRecord = {
  type: 49,
  name: 'Coze',
  baseUrl,
  formats: { coze: { paths: { chat: '{base}/v3/chat' } } },
  locate: ({ other, model }) => ({ base: baseUrl, values: {}, model: other.trim() === '' ? model : other.trim() }),
};
