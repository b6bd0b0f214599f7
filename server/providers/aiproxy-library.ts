// Libraries of documents at AI Proxy. Which one is asked stands in the channel's free field; without it there is nothing to ask.
import type { Provider } from './spec.ts';

const baseUrl = 'https://api.aiproxy.io';

export const aiProxyLibrary: Provider = {
  type: 21,
  name: 'AIProxyLibrary',
  baseUrl,
  formats: { library: { framing: 'sse', paths: { chat: '{base}/api/library/ask' } } },
  auth: { kind: 'bearer' },
  locate: ({ other }) => (other.trim() === '' ? null : { base: baseUrl, values: {}, model: other.trim() }),
  models: [],
};
