// Tool arguments and results in chat completion requests.
import { isObject } from '#server/framing/loose-json.ts';
import { type JsonTexts, objectsIn } from '../json-texts.ts';

export const jsonTexts: JsonTexts = {
  *argumentsIn({ messages }) {
    for (const message of objectsIn(messages)) {
      for (const call of objectsIn(message['tool_calls'])) if (isObject(call['function'])) yield call['function']['arguments'];
      if (isObject(message['function_call'])) yield message['function_call']['arguments'];
    }
  },
  *resultsIn({ messages }) {
    for (const { role, content } of objectsIn(messages)) if (role === 'tool' || role === 'function') yield content;
  },
};
