// Vertex AI: Gemini, Claude and partner models, each in its own format, at a region's host and under a project.
// https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
// Claude: https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
import { projectOf, readGoogleKey } from '#shared/google-key.ts';
import { readRegions } from '#shared/channel-regions.ts';
import { readClaudeEnding } from '#server/formats/claude-suffixes.ts';
import { datedClaude } from './claude-names.ts';
import models from './default-models.json' with { type: 'json' };
import { geminiThinking } from './gemini.ts';
import { thoughtsOfHosted } from './openai-shape.ts';
import type { ModelLocation, LocatedCall, ProviderRecord } from './spec.ts';

const anthropic = '{base}/v1/projects/{project}/locations/{region}/publishers/anthropic/models';
/** API keys imply the project. */
const google = '{base}/v1/{parent}publishers/google/models/{model}';

export const vertex: ProviderRecord = {
  type: 41,
  name: 'VertexAi',
  baseUrl: 'https://aiplatform.googleapis.com',
  formats: {
    gemini: {
      models: /^(?:gemini|imagen|text-(?:multilingual-)?embedding)/,
      modelRules: [geminiThinking],
      hosted: ['web_search', 'code_execution', 'web_fetch'],
      paths: {
        chat: { whole: `${google}:generateContent`, stream: `${google}:streamGenerateContent?alt=sse` },
        count_tokens: `${google}:countTokens`,
        embeddings: `${google}:predict`,
        speech: [{ modelPrefix: 'gemini', path: `${google}:generateContent` }, { path: null }],
        image_edits: [{ modelPrefix: 'gemini', path: `${google}:generateContent` }, { path: null }],
        images: [{ modelPrefix: 'imagen', path: `${google}:predict` }, { path: `${google}:generateContent` }],
      },
      images: 'google',
      speech: 'google',
      embeddings: 'vertex',
    },
    claude: {
      models: /^claude/,
      // https://platform.claude.com/docs/en/build-with-claude/vision
      takesAddresses: [],
      wrap({ body: { model: _inPath, ...body }, headers }, { isCount, nameThere }) {
        // Counts have one path for all models.
        const counted = isCount ? { model: nameThere } : {};
        return { body: { ...body, ...counted, anthropic_version: 'vertex-2023-10-16' }, headers };
      },
      hosted: ['web_search'],
      paths: {
        chat: { whole: `${anthropic}/{model}:rawPredict`, stream: `${anthropic}/{model}:streamRawPredict?alt=sse` },
        count_tokens: `${anthropic}/count-tokens:rawPredict`,
      },
    },
    'openai-chat': {
      thoughts: thoughtsOfHosted,
      models: /llama|-maas$|\//,
      paths: { chat: '{base}/v1beta1/projects/{project}/locations/{region}/endpoints/openapi/chat/completions' },
      streamOptions: 'ask',
    },
  },
  videos: 'veo-vertex',
  storesCaches: 'vertex',
  auth: { kind: 'google' },
  endingsSetting: 'gemini.thinking_adapter_enabled',
  locate,
  // An invalid key is reported as 400.
  refusals: {
    retried: [400],
    accountWords: ['billing', 'is not allowed to use Publisher Model', 'location is not supported'],
  },
  // Models before Gemini 3 are retired. https://cloud.google.com/vertex-ai/generative-ai/docs/learn/model-versions
  // Models that accept an API key come first.
  models: [...models['24'].filter((name) => /^gemini-(?!2\.|.*embedding)/.test(name)), ...models['14'], 'meta/llama-3.3-70b-instruct-maas'],
};

function locate({ key: text, other, clientModel, model }: LocatedCall): ModelLocation | null {
  const key = readGoogleKey(text);
  const read = readRegions(other);
  if (key === null || 'problem' in read) return null;
  const { regions } = read;
  const region = regions.get(clientModel) ?? regions.get(model) ?? regions.get('default') ?? 'global';
  const project = projectOf(key);
  if (project === undefined) return { base: vertexHost('global'), model, values: { parent: '' } };
  const named = encodeURIComponent(project);
  const values = { region, project: named, parent: `projects/${named}/locations/${region}/` };
  return { base: vertexHost(region), model: model.startsWith('claude') ? claudeName(model) : model, values };
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations; multi-regions have another host name. */
export function vertexHost(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/**
 * Vertex's name of a Claude model: the date behind `@`, and `-v2` before the date of the second model with the same
 * name. Thinking suffixes are removed.
 */
function claudeName(model: string): string {
  const name = datedClaude(readClaudeEnding(model)?.model ?? model);
  if (name === 'claude-3-5-sonnet-20241022') return 'claude-3-5-sonnet-v2@20241022';
  return name.replace(/-(\d{8})$/, '@$1');
}
