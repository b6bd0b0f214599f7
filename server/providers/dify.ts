// Applications of Dify: chatflows and agents, or, if the channel's free field says so, text generators and workflows. A
// key belongs to one application, which decides the model.
// https://docs.dify.ai/en/guides/application-publishing/developing-with-apis
import { readDifyApp } from '#shared/dify-app.ts';
import type { ProviderRecord } from './spec.ts';

const baseUrl = 'https://api.dify.ai';
const calls = { chat: 'chat-messages', completion: 'completion-messages', workflow: 'workflows/run' };

export const dify: ProviderRecord = {
  type: 37,
  name: 'Dify',
  baseUrl,
  formats: { dify: { paths: { chat: '{base}/v1/{call}' } } },
  locate({ other }) {
    // Other texts, from before the field was used, are ignored.
    const { kind } = readDifyApp(other) ?? { kind: 'chat' };
    return { base: baseUrl, values: { call: calls[kind] }, model: other.trim() };
  },
};
