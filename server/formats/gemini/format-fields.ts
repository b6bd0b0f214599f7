// Fields of `generateContent` requests, and fields of other formats that this one carries.
import type { CarriedFields, ClientFields } from '../request-fields.ts';
import { writeSeal } from '../seal.ts';
import { writeModalities, writeSafety } from './config-fields.ts';
import { usualTiers } from './tiers.ts';

const configured = (name: string) => (value: unknown) => ({ generationConfig: { [name]: value } });

const config = (fields: object) => ({ generationConfig: fields });
const question = { role: 'user', parts: [{ text: 'Hello' }] };
const userPart = (part: object) => ({ contents: [{ role: 'user', parts: [part] }] });
const thought = (part: object) => ({
  contents: [{ role: 'model', parts: [{ text: 'Hm', thought: true, ...part }, { text: 'Hi' }] }, question],
});
const foreign = Buffer.from(writeSeal({ origin: 'claude', data: 'Cg==' }, 'gemini')).toString('base64');
const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };

/** https://ai.google.dev/api/generate-content */
export const clientFields: ClientFields = {
  choices: { name: 'generationConfig.candidateCount', neutral: [0, 1], example: config({ candidateCount: 2 }) },
  logprobs: { name: 'generationConfig.responseLogprobs', neutral: [false], example: config({ responseLogprobs: true }) },
  top_logprobs: { name: 'generationConfig.logprobs', neutral: [0], example: config({ logprobs: 3 }) },
  voice: { name: 'generationConfig.speechConfig', example: config({ speechConfig: { languageCode: 'en-GB' } }) },
  modalities: { name: 'generationConfig.responseModalities', example: config({ responseModalities: ['TEXT', 'IMAGE'] }) },
  enum_response: {
    name: 'generationConfig.responseMimeType',
    example: config({ responseMimeType: 'text/x.enum', responseSchema: { type: 'STRING', enum: ['ebb', 'flood'] } }),
  },
  seed: { name: 'generationConfig.seed', example: config({ seed: 7 }) },
  frequency_penalty: { name: 'generationConfig.frequencyPenalty', neutral: [0], example: config({ frequencyPenalty: 0.5 }) },
  presence_penalty: { name: 'generationConfig.presencePenalty', neutral: [0], example: config({ presencePenalty: 0.5 }) },
  offered_provider_tools: { name: 'tools.0.googleMaps', example: { tools: [{ googleMaps: {} }] } },
  forced_tool: {
    name: 'toolConfig.functionCallingConfig',
    example: {
      tools: [{ functionDeclarations: [{ name: 'get' }, { name: 'set' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    },
  },
  taught_tools: { name: 'tools.0.computerUse', example: { tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }] } },
  mcp_servers: { name: 'tools.0.mcpServers', example: { tools: [{ mcpServers: [{ name: 'a' }] }] } },
  provider_tool_results: {
    name: 'hosted tool parts',
    example: { contents: [{ role: 'model', parts: [{ toolCall: { id: 't1', toolType: 'GOOGLE_SEARCH_WEB' } }] }, question] },
  },
  google_tier: { name: 'serviceTier', neutral: usualTiers, example: { serviceTier: 'flex' } },
  store: { name: 'store', example: { store: false } },
  metadata: { name: 'labels', example: { labels: { run: '1' } } },
  safety_settings: {
    name: 'safetySettings',
    example: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
  },
  cached_content: { name: 'cachedContent', example: { cachedContent: 'cachedContents/a1' } },
  // A file id is valid only at its provider.
  media: { name: 'contents.0.parts', example: userPart({ fileData: { mimeType: 'image/png', fileUri: 'files/a1' } }) },
  image_detail: {
    name: 'contents.0.parts.0.mediaResolution',
    example: userPart({ ...picture, mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } }),
  },
  media_details: {
    name: 'contents.0.parts.0.videoMetadata',
    example: userPart({ ...picture, videoMetadata: { fps: 5 } }),
  },
  token_limit: { name: 'generationConfig.maxOutputTokens', example: config({ maxOutputTokens: 99 }) },
  stop: { name: 'generationConfig.stopSequences', example: config({ stopSequences: ['END'] }) },
  json_without_schema: { name: 'generationConfig.responseMimeType', example: config({ responseMimeType: 'application/json' }) },
  effort: { name: 'generationConfig.thinkingConfig.thinkingLevel', example: config({ thinkingConfig: { thinkingLevel: 'HIGH' } }) },
  thinking_budget: {
    name: 'generationConfig.thinkingConfig.thinkingBudget',
    example: config({ thinkingConfig: { thinkingBudget: 2048 } }),
  },
  temperature: {
    name: 'generationConfig.temperature',
    example: config({ thinkingConfig: { thinkingLevel: 'HIGH' }, temperature: 0.2 }),
  },
  top_p: { name: 'generationConfig.topP', example: config({ thinkingConfig: { thinkingLevel: 'HIGH' }, topP: 0.9 }) },
  top_k: { name: 'generationConfig.topK', example: config({ topK: 5 }) },
  thoughts: { name: 'thought parts', example: thought({ thoughtSignature: foreign }) },
  unsigned_thoughts: { name: 'thought parts', example: thought({}) },
  foreign_thoughts: { name: 'thought parts', example: thought({ thoughtSignature: 'Cg==' }) },
  tool_errors: {
    name: 'functionResponse.response.error',
    example: {
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'get', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'get', response: { error: 'Not found' } } }] },
      ],
    },
  },
};

/** https://ai.google.dev/api/generate-content */
export const carriedFields: CarriedFields = {
  media: { treatment: 'refused', about: 'files by id' },
  forced_tool: 'by_parts',
  token_limit: 'by_parts',
  stop: 'by_parts',
  json_without_schema: 'by_parts',
  effort: { treatment: 'dropped', about: 'for models without thinking', model: 'gemini-2.0-flash' },
  thinking_budget: {
    treatment: 'dropped',
    about: 'for models without thinking; from Gemini 3 on, the budget is mapped to a level',
    model: 'gemini-2.0-flash',
  },
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  // Other formats return the signatures of Gemini's models.
  foreign_thoughts: 'by_parts',
  tool_errors: 'by_parts',
  search: 'by_parts',
  choices: configured('candidateCount'),
  logprobs: () => ({ generationConfig: { responseLogprobs: true } }),
  top_logprobs: (value) => ({ generationConfig: { responseLogprobs: true, logprobs: value } }),
  modalities: writeModalities,
  google_tier: (value) => ({ serviceTier: value }),
  safety_settings: writeSafety,
  seed: configured('seed'),
  frequency_penalty: configured('frequencyPenalty'),
  presence_penalty: configured('presencePenalty'),
};
