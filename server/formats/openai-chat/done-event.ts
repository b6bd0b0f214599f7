// Events of this format, and `[DONE]`.
import { isTooDeep } from '#server/framing/json-depth.ts';
import { parseObject } from '#server/framing/loose-json.ts';

export const doneEvent = Buffer.from('data: [DONE]\n\n');

/** Whether the data is an event. Some servers send tool arguments as objects of any depth: those are not parsed. */
export function isEvent(data: string): boolean {
  return isDone(data) || isTooDeep(data) || parseObject(data) !== null;
}

export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}
