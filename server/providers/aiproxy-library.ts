// Document libraries of AI Proxy. The channel's free field names the library; without it calls fail.
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
