// Google's PaLM, which the vendor has switched off: for what still answers in its form. It had one model for conversations.
import type { Provider } from './spec.ts';

export const palm: Provider = {
  type: 11,
  name: 'PaLM',
  baseUrl: 'https://generativelanguage.googleapis.com',
  formats: { palm: { framing: 'sse', paths: { chat: '{base}/v1beta2/models/chat-bison-001:generateMessage' } } },
  auth: { kind: 'header', name: 'x-goog-api-key' },
  models: ['PaLM-2'],
};
