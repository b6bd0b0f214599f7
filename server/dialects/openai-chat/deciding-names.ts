import { decidingNames, messageNames } from '../deciding-names.ts';
import { limitFields } from './limit-fields.ts';

export const chatNames = decidingNames(messageNames, limitFields, [
  'model',
  'n',
  'best_of',
  'stream',
  'stream_options',
  'include_usage',
  'service_tier',
  'reasoning_effort',
  'reasoning',
  'effort',
  'thinking',
  'budget_tokens',
  'modalities',
  'audio',
  'prediction',
  'web_search_options',
  'search_context_size',
  'functions',
  'function',
  'description',
  'parameters',
  'tool_calls',
  'function_call',
  'arguments',
  'image_url',
  'detail',
  'input_audio',
  'file',
  'file_data',
  'reasoning_content',
  'response_format',
]);

export const embeddingsNames = decidingNames(['model', 'input', 'dimensions', 'encoding_format']);
