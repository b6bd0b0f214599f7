// Fields that this format carries: those common to the vendors' models.
import type { CarriedFields } from '../request-fields.ts';

/** Images are sent if the vendor's models accept them, which the table of losses does not distinguish. */
export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  token_limit: 'by_parts',
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  stop: { treatment: 'refused', about: 'for models without stop sequences, and sequences with commas', model: 'openai/gpt-4.1' },
};
