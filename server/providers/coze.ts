// Bots of Coze. The channel's free field has the bot's id; without it, the model's name is the id.
// https://www.coze.cn/open/docs/developer_guides/chat_v3
import type { Provider } from './spec.ts';

const baseUrl = 'https://api.coze.cn';

export const coze: Provider = {
  type: 49,
  name: 'Coze',
  baseUrl,
  formats: { coze: { framing: 'sse', paths: { chat: '{base}/v3/chat' } } },
  auth: { kind: 'bearer' },
  locate: ({ other, model }) => ({ base: baseUrl, values: {}, model: other.trim() === '' ? model : other.trim() }),
  models: [],
};
