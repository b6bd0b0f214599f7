// Document libraries of AI Proxy. The channel's free field names the library; without it calls fail.
import type { ProviderRecord } from './spec.ts';

const baseUrl = 'https://api.aiproxy.io';

export const aiProxyLibrary: ProviderRecord = {
  type: 21,
  name: 'AIProxyLibrary',
  baseUrl,
  formats: { library: { paths: { chat: '{base}/api/library/ask' } } },
  locate: ({ other }) => (other.trim() === '' ? null : { base: baseUrl, values: {}, model: other.trim() }),
};
