// Collects a complete response from its stream, for providers that only stream.
import { isObject, type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import type { Gathering } from '../upstream-dialect.ts';
import { isEnd } from './events.ts';

const itemDone = 'response.output_item.done';

export const gathering: Gathering = {
  stores({ name, data }) {
    const type = name === '' ? parseObject(data)?.type : name;
    return type === itemDone || type === 'error' || isEnd(type);
  },
  whole(events) {
    const items: JsonObject[] = [];
    for (const { data } of events) {
      const event = parseObject(data);
      if (event?.type === 'error') return event;
      if (event?.type === itemDone && isObject(event.item)) items.push(event.item);
      if (!isEnd(event?.type) || !isObject(event?.response)) continue;
      const { response } = event;
      // The final event may omit the output if the response is not stored.
      return Array.isArray(response.output) && response.output.length > 0 ? response : { ...response, output: items };
    }
    return null;
  },
};
