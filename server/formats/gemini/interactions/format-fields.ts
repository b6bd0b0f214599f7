// Fields of Interactions requests.
import type { ClientFields } from '../../request-fields.ts';
import { usualTiers } from '../tiers.ts';
import { writeSignature } from './signature.ts';

const config = (fields: object) => ({ generation_config: fields });
const question = { type: 'user_input', content: [{ type: 'text', text: 'Hello' }] };
const userPart = (part: object) => ({ input: [{ type: 'user_input', content: [part] }] });
const thought = (part: object) => ({
  input: [
    question,
    { type: 'thought', summary: [{ type: 'text', text: 'Hm' }], ...part },
    { type: 'model_output', content: [{ type: 'text', text: 'Hi' }] },
    question,
  ],
});
const picture = { type: 'image', mime_type: 'image/png', data: 'iVBORw0KGgo=' };

/** https://ai.google.dev/api/interactions-api */
export const clientFields: ClientFields = {
  voice: { name: 'generation_config.speech_config', example: config({ speech_config: { speakers: [{ voice: 'Kore' }] } }) },
  modalities: { name: 'response_modalities', example: { response_modalities: ['text', 'image'] } },
  seed: { name: 'generation_config.seed', example: config({ seed: 7 }) },
  frequency_penalty: {
    name: 'generation_config.frequency_penalty',
    neutral: [0],
    example: config({ frequency_penalty: 0.5 }),
  },
  presence_penalty: { name: 'generation_config.presence_penalty', neutral: [0], example: config({ presence_penalty: 0.5 }) },
  offered_provider_tools: { name: 'tools.0', example: { tools: [{ type: 'google_maps' }] } },
  forced_tool: {
    name: 'generation_config.tool_choice',
    example: { tools: ['get', 'set'].map((name) => ({ type: 'function', name })), generation_config: { tool_choice: 'any' } },
  },
  taught_tools: { name: 'tools.0.type', example: { tools: [{ type: 'computer_use', environment: 'browser' }] } },
  mcp_servers: { name: 'tools.0.type', example: { tools: [{ type: 'mcp_server', name: 'a', url: 'https://example.com' }] } },
  provider_tool_results: {
    name: 'hosted tool steps',
    example: {
      input: [question, { type: 'google_maps_call', id: 'm1' }, { type: 'google_maps_result', call_id: 'm1', result: [] }, question],
    },
  },
  container: { name: 'environment', example: { environment: 'env-1' } },
  google_tier: { name: 'service_tier', neutral: usualTiers, example: { service_tier: 'flex' } },
  metadata: { name: 'labels', example: { labels: { run: '1' } } },
  safety_settings: { name: 'safety_settings', example: { safety_settings: [{ type: 'harassment', threshold: 'off' }] } },
  cached_content: { name: 'cached_content', example: { cached_content: 'cachedContents/a1' } },
  // A file id is valid only at its provider.
  media: { name: 'input.0.content', example: userPart({ type: 'image', uri: 'files/a1' }) },
  image_detail: { name: 'input.0.content.0.resolution', example: userPart({ ...picture, resolution: 'low' }) },
  media_details: {
    name: 'input.0.content.0.processing',
    example: userPart({ type: 'document', data: 'SGVsbG8=', mime_type: 'text/plain', processing: 'static' }),
  },
  token_limit: { name: 'generation_config.max_output_tokens', example: config({ max_output_tokens: 99 }) },
  stop: { name: 'generation_config.stop_sequences', example: config({ stop_sequences: ['END'] }) },
  json_without_schema: { name: 'response_format', example: { response_format: { type: 'text', mime_type: 'application/json' } } },
  effort: { name: 'generation_config.thinking_level', example: config({ thinking_level: 'high' }) },
  temperature: { name: 'generation_config.temperature', example: config({ thinking_level: 'high', temperature: 0.2 }) },
  top_p: { name: 'generation_config.top_p', example: config({ thinking_level: 'high', top_p: 0.9 }) },
  thoughts: { name: 'thought steps', example: thought({ signature: writeSignature({ origin: 'claude', data: 'Cg==' }) }) },
  unsigned_thoughts: { name: 'thought steps', example: thought({}) },
  foreign_thoughts: { name: 'thought steps', example: thought({ signature: 'Cg==' }) },
  tool_errors: {
    name: 'function_result.is_error',
    example: {
      input: [
        question,
        { type: 'function_call', id: 'c1', name: 'get', arguments: {} },
        { type: 'function_result', call_id: 'c1', name: 'get', result: 'Not found', is_error: true },
      ],
    },
  },
};
