// Errors within streams of this format; the official clients throw on them.
import type { ErrorObject } from '#server/surfaces/api-surface.ts';
import { errorBody } from '#server/surfaces/openai/errors.ts';

export function errorEvent(error: ErrorObject): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}
