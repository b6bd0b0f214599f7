// Finds JSON in the texts of tool results; arguments are objects in this format.
import { type JsonTexts, objectsIn } from '../../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *resultsIn({ input }) {
    for (const step of objectsIn(input)) if (step['type'] === 'function_result') yield step['result'];
  },
  *objectsIn({ input }) {
    for (const step of objectsIn(input)) if (step['type'] === 'function_call') yield step['arguments'];
  },
};
