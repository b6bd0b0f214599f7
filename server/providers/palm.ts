// Google's PaLM, retired by the vendor; for servers that still use its format. It had one chat model.
import type { ProviderRecord } from './spec.ts';

export const palm: ProviderRecord = {
  type: 11,
  name: 'PaLM',
  baseUrl: 'https://generativelanguage.googleapis.com',
  formats: { palm: { paths: { chat: '{base}/v1beta2/models/chat-bison-001:generateMessage' } } },
  auth: { kind: 'header', name: 'x-goog-api-key' },
  models: ['PaLM-2'],
};
