// Fields that this format carries.
import type { CarriedFields, PartialLoss } from '../request-fields.ts';

const plain = 'meta.llama3-3-70b-instruct-v1:0';
const thinkingLoss: PartialLoss = {
  treatment: 'dropped',
  about: 'for models other than gpt-oss and Nova 2, which get a level by it',
  model: plain,
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const carriedFields: CarriedFields = {
  media: { treatment: 'refused', about: 'what is named by an id, and kinds of file that the format does not know' },
  forced_tool: 'by_parts',
  token_limit: 'by_parts',
  stop: 'by_parts',
  json_without_schema: {
    treatment: 'dropped',
    about: '`json_object` only: there is no JSON without a schema, and the prompt has to ask for it',
  },
  effort: thinkingLoss,
  thinking_budget: thinkingLoss,
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: { treatment: 'dropped', about: 'for models other than Nova', model: plain },
  tool_errors: 'by_parts',
  cache_hints: { treatment: 'dropped', about: 'for models other than Nova, and of tools', model: plain },
};
