// Tool results in interactions, and arguments, which are objects.
import { type JsonTexts, objectsIn } from '../../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *resultsIn({ input }) {
    for (const step of objectsIn(input)) if (step['type'] === 'function_result') yield step['result'];
  },
  *objectsIn({ input }) {
    for (const step of objectsIn(input)) if (step['type'] === 'function_call') yield step['arguments'];
  },
};
