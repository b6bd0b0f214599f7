// Tool arguments and results in Responses requests.
import { type JsonTexts, objectsIn } from '../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *argumentsIn({ input }) {
    for (const item of objectsIn(input)) yield item['arguments'];
  },
  *resultsIn({ input }) {
    for (const item of objectsIn(input)) yield item['output'];
  },
};
