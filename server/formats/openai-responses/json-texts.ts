// Finds JSON in the texts of tool arguments and results.
import { type JsonTexts, objectsIn } from '../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *argumentsIn({ input }) {
    for (const item of objectsIn(input)) yield item['arguments'];
  },
  *resultsIn({ input }) {
    for (const item of objectsIn(input)) yield item['output'];
  },
};
