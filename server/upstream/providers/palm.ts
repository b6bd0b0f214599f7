// Google's PaLM, which the vendor has switched off: for what still answers in its form.
import type { Provider } from './spec.ts';

export const palm: Provider = {
  type: 11,
  name: 'PaLM',
  baseUrl: 'https://generativelanguage.googleapis.com',
  formats: { palm: { framing: 'sse', paths: { chat: '{base}/v1beta2/models/{model}:generateMessage' } } },
  auth: { kind: 'header', name: 'x-goog-api-key' },
  modelNames: { 'PaLM-2': 'chat-bison-001' },
  models: ['PaLM-2'],
};
