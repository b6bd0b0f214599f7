// Fields of other formats that this one carries. No others are sent, because the API rejects unknown fields.
import type { CarriedFields } from '../../request-fields.ts';

/** https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/how-to */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  forced_tool: 'by_parts',
  search: 'by_parts',
  media: { treatment: 'refused', about: 'audio input, and images and files by id' },
  stop: { treatment: 'dropped', about: 'stop sequences' },
  single_calls: 'by_parts',
  effort: 'by_parts',
  thinking_budget: 'by_parts',
  token_limit: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  provider_tool_limit: (value) => ({ max_tool_calls: value }),
};
