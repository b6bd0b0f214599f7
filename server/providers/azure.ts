// Azure OpenAI: the deployment, in the path or the body, is the model's name without dots, which deployments could not
// contain in the past. https://learn.microsoft.com/azure/ai-services/openai/reference
import { deploymentOf } from '#server/formats/deployment.ts';
import {
  completionsAt,
  openaiReasoning,
  openaiRetention,
  openaiStops,
  responsesModels,
  responsesReasoning,
  thoughtsOfHosted,
} from './openai-shape.ts';
import type { ProviderRecord } from './spec.ts';

export const azure: ProviderRecord = {
  type: 3,
  name: 'Azure',
  baseUrl: null,
  formats: {
    'openai-chat': {
      thoughts: thoughtsOfHosted,
      paths: {
        chat: '{base}/openai/deployments/{deployment}/chat/completions?api-version={version}',
        completions: completionsAt('{base}/openai/deployments/{deployment}/completions?api-version={version}'),
        embeddings: '{base}/openai/deployments/{deployment}/embeddings?api-version={version}',
        images: '{base}/openai/deployments/{deployment}/images/generations?api-version={version}',
        image_edits: '{base}/openai/deployments/{deployment}/images/edits?api-version={version}',
        speech: '{base}/openai/deployments/{deployment}/audio/speech?api-version={version}',
        transcriptions: '{base}/openai/deployments/{deployment}/audio/transcriptions?api-version={version}',
        // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/realtime-audio-websockets
        realtime: {
          whole: '{base}/openai/v1/realtime?model={deploymentValue}',
          beta: '{base}/openai/realtime?api-version={version}&deployment={deploymentValue}',
        },
        translations: '{base}/openai/deployments/{deployment}/audio/translations?api-version={version}',
      },
      streamOptions: 'ask',
      modelRules: [openaiReasoning, openaiStops, openaiRetention],
    },
    // https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
    'openai-responses': {
      paths: { chat: '{base}/openai/v1/responses' },
      modelRules: [responsesReasoning, openaiRetention],
      wrap({ body, headers }, { setting }) {
        const { model } = body;
        return { body: typeof model === 'string' ? { ...body, model: deploymentOf(model, setting) } : body, headers };
      },
      ...responsesModels,
      takesCacheKey: true,
      takesSealedThoughts: true,
    },
  },
  auth: { kind: 'header', name: 'api-key' },
  // Requires deployments of the type Global Batch. https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch
  runsBatches: 'openai',
  account: {
    path: '/openai/v1',
    endpoints: { '/v1/chat/completions': '/chat/completions', '/v1/responses': '/v1/responses' },
    lifetimes: { least: 1_209_600, most: 2_592_000 },
    namesDeployment: true,
  },
  gatewayDrops: '/openai/deployments',
  defaultVersion: '2024-12-01-preview',
};
