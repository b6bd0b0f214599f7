// How much a submission of a Midjourney client may hold.
import { checkTextLengths, checkWholeBody, longestPrompt, mostTextBytes } from '#server/call/tasks/task-bounds.ts';

/** Custom ids of Midjourney are below 200 characters. */
const longest = {
  prompt: longestPrompt,
  state: 10_000,
  customId: 1_000,
  content: 1_000,
  taskId: 200,
  action: 100,
  index: 20,
  botType: 100,
  dimensions: 100,
  notifyHook: 4_000,
};

/** Paths whose bodies hold no pictures. */
const ofTexts: ReadonlySet<string> = new Set(['shorten', 'change', 'simple-change', 'action']);

/** Bytes of a body; undefined: as many as of every call. */
export function mostDrawingBytes(kind: string): number | undefined {
  return ofTexts.has(kind) ? mostTextBytes : undefined;
}

/** @throws {BoundRefusal} */
export function checkDrawing(body: Record<string, unknown>): void {
  checkTextLengths(body, longest);
  checkWholeBody(body);
}
