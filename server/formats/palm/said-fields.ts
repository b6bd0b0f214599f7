// What this format carries of what callers say; none of them speaks it.
import type { CarriedFields } from '../request-fields.ts';

export const carriedFields: CarriedFields = {
  tool_errors: 'in_words',
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  choices: (value) => ({ candidateCount: value }),
};
