// Fields that this format carries.
import type { CarriedFields, PartialLoss } from '../request-fields.ts';

const plain = 'meta.llama3-3-70b-instruct-v1:0';
const thinkingLoss: PartialLoss = {
  treatment: 'dropped',
  about: 'for models other than gpt-oss and Nova 2, where it is mapped to a level',
  model: plain,
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const carriedFields: CarriedFields = {
  media: { treatment: 'refused', about: 'files by id, and unsupported file types' },
  forced_tool: 'by_parts',
  token_limit: 'by_parts',
  stop: 'by_parts',
  json_without_schema: {
    treatment: 'dropped',
    about: '`json_object` only: JSON requires a schema, so the prompt must request it',
  },
  effort: thinkingLoss,
  thinking_budget: thinkingLoss,
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: { treatment: 'dropped', about: 'for models other than Nova', model: plain },
  tool_errors: 'by_parts',
  cache_hints: { treatment: 'dropped', about: 'for models other than Nova, and on tools', model: plain },
};
