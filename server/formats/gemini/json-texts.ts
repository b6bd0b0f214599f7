// Finds JSON in the texts of tool results; all other JSON is an object in this format.
import { isObject } from '#server/framing/loose-json.ts';
import { type JsonTexts, objectsIn } from '../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *resultsIn({ contents }) {
    for (const { parts } of objectsIn(contents)) {
      for (const part of objectsIn(parts)) {
        const result = part['functionResponse'] ?? part['function_response'];
        const response = isObject(result) ? result['response'] : undefined;
        if (isObject(response)) yield response['output'] ?? response['error'];
      }
    }
  },
  *objectsIn({ contents }) {
    for (const { parts } of objectsIn(contents)) {
      for (const part of objectsIn(parts)) {
        const call = part['functionCall'] ?? part['function_call'];
        const result = part['functionResponse'] ?? part['function_response'];
        if (isObject(call)) yield call['args'];
        if (isObject(result)) yield result['response'];
      }
    }
  },
};
