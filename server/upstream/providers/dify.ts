// Applications of Dify: chatflows and agents. A key is of one application, whose model is its own.
// https://docs.dify.ai/en/guides/application-publishing/developing-with-apis
import type { Provider } from './spec.ts';

export const dify: Provider = {
  type: 37,
  name: 'Dify',
  baseUrl: 'https://api.dify.ai',
  formats: { dify: { framing: 'sse', paths: { chat: '{base}/v1/chat-messages' } } },
  auth: { kind: 'bearer' },
  models: [],
};
