// What this format carries of what callers say; none of them speaks it. Each vendor's models there have fields of their own: what is common.
import type { CarriedFields } from '../request-fields.ts';

/** Pictures go along where the vendor's models take them, which the table of what is lost does not tell apart. */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  token_limit: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  stop: { treatment: 'refused', about: 'of models of vendors that have none there, and texts with commas', model: 'openai/gpt-4.1' },
};
