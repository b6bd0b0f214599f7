// ChatGPT accounts, called as the vendor's CLI does: Responses, always streamed, never stored.
// https://github.com/openai/codex
import { responsesReasoning } from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const codex: ProviderRecord = {
  type: 57,
  name: 'Codex',
  baseUrl: 'https://chatgpt.com',
  formats: {
    'openai-responses': {
      paths: { chat: '{base}/backend-api/codex/responses' },
      quirks: { modelRules: [responsesReasoning], ofAccount: true },
      streamsOnly: true,
      takesNoLimit: true,
      takesCacheKey: true,
      takesSealedThoughts: true,
    },
  },
  auth: { kind: 'codex' },
  headers: { 'openai-beta': 'responses=experimental', originator: 'codex_cli_rs' },
  models: ['gpt-5.6-sol', 'gpt-5.6-luna', 'gpt-5.4-mini'],
};
