import { decidingNames, messageNames } from '../deciding-names.ts';
import { limits } from './limits.ts';

export const messagesNames = decidingNames(messageNames, limits.names, [
  'model',
  'system',
  'stream',
  'service_tier',
  'speed',
  'thinking',
  'budget_tokens',
  'effort',
  'output_config',
  'cache_control',
  'ttl',
  'source',
  'media_type',
  'max_uses',
  'description',
  'input_schema',
  'input',
  'inference_geo',
  'title',
  'context',
  'format',
  'mcp_servers',
  'context_management',
]);
