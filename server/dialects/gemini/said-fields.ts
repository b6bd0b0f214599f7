// What a `generateContent` request carries of what others say.
import type { CarriedFields } from '../request-fields.ts';

/** A field of `generationConfig`. */
const configured = (name: string) => (value: unknown) => ({ generationConfig: { [name]: value } });

/** https://ai.google.dev/api/generate-content */
export const carriedFields: CarriedFields = {
  media: { treatment: 'refused', about: 'files by id' },
  stop: 'by_parts',
  json_without_schema: 'by_parts',
  effort: { treatment: 'dropped', about: 'for models that do not think', model: 'gemini-2.0-flash' },
  thinking_budget: {
    treatment: 'dropped',
    about: 'for models that do not think; those from 3 on get a level by the budget',
    model: 'gemini-2.0-flash',
  },
  temperature: 'by_parts',
  top_p: 'by_parts',
  top_k: 'by_parts',
  // Those of its own models, which other formats have kept for it.
  foreign_thoughts: 'by_parts',
  tool_errors: 'by_parts',
  search: () => ({ tools: [{ googleSearch: {} }] }),
  choices: configured('candidateCount'),
  seed: configured('seed'),
  frequency_penalty: configured('frequencyPenalty'),
  presence_penalty: configured('presencePenalty'),
};
