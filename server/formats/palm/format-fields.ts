// Fields that this format carries.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  choices: (value) => ({ candidateCount: value }),
};
