// Fields that this format carries.
import type { CarriedFields } from '../request-fields.ts';

/** https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  token_limit: 'by_parts',
  stop: 'by_parts',
  forced_tool: { treatment: 'dropped', about: 'required tool choice without a name' },
  // A response has at most one call.
  single_calls: 'by_parts',
  json_without_schema: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  user_id: 'by_parts',
  // The scale begins at 1, which means no penalty.
  frequency_penalty: (value) => ({ penalty_score: typeof value === 'number' ? Math.min(2, Math.max(1, value)) : value }),
};
