// Events of this format: what they are, and the one that ends every stream.
import { isTooDeep } from '#server/framing/json-depth.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export const doneEvent = Buffer.from('data: [DONE]\n\n');

/** Whether this is the data of an event. Some write arguments of tools as objects, as deep as the model likes: those are not parsed. */
export function isEvent(data: string): boolean {
  return isDone(data) || isTooDeep(data) || parseObject(data) !== null;
}

export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}
