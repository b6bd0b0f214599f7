// Results of tools in an interaction; arguments are objects there.
import { objectsIn } from '../../json-texts.ts';
import type { JsonTexts } from '../../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *resultsIn({ input }) {
    for (const step of objectsIn(input)) if (step['type'] === 'function_result') yield step['result'];
  },
};
