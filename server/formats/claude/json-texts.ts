// Finds JSON in the texts of tool results; arguments are objects in this format.
import { type JsonTexts, objectsIn } from '../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *resultsIn({ messages }) {
    for (const { content } of objectsIn(messages))
      for (const block of objectsIn(content)) if (block['type'] === 'tool_result') yield block['content'];
  },
  *objectsIn({ messages }) {
    for (const { content } of objectsIn(messages))
      for (const block of objectsIn(content)) if (block['type'] === 'tool_use') yield block['input'];
  },
};
