// Fields that this format carries.
import type { CarriedFields, PartialLoss } from '../request-fields.ts';

const option = (name: string) => (value: unknown) => ({ options: { [name]: value } });
const thinkingLoss: PartialLoss = {
  treatment: 'dropped',
  about: 'for models other than gpt-oss, where it is mapped to a level; others switch thinking on or off',
};

/** https://docs.ollama.com/api/chat */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  media: { treatment: 'refused', about: 'everything except inline images and texts' },
  token_limit: 'by_parts',
  stop: 'by_parts',
  json_without_schema: 'by_parts',
  effort: thinkingLoss,
  thinking_budget: thinkingLoss,
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  unsigned_thoughts: 'by_parts',
  seed: option('seed'),
  frequency_penalty: option('frequency_penalty'),
  presence_penalty: option('presence_penalty'),
};
