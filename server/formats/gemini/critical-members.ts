import { criticalMembers, messageNames } from '../critical-members.ts';
import { gatewayFields } from '../gateway-fields.ts';
import { limits } from './limits.ts';
import { snakeCased } from '../proto-json.ts';

const names: readonly string[] = [
  'model',
  'contents',
  'parts',
  'systemInstruction',
  'generateContentRequest',
  'requests',
  'candidateCount',
  'responseLogprobs',
  'logprobs',
  'responseModalities',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'thinkingBudget',
  'thinkingLevel',
  'serviceTier',
  'cachedContent',
  'functionDeclarations',
  'description',
  'parametersJsonSchema',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'fileUri',
  'mimeType',
  'googleSearch',
  'codeExecution',
  'urlContext',
  'fileSearch',
  'fileSearchStoreNames',
  'retrieval',
];

/** Critical members of a request, in both spellings, because callers may use either. */
export const generateNames = criticalMembers(messageNames, limits.names, gatewayFields, names, names.map(snakeCased));
