// Writes errors within streams of this format. https://platform.claude.com/docs/en/api/errors
import { errorBody } from '#server/surfaces/anthropic/errors.ts';
import type { ErrorObject } from '#server/surfaces/api-surface.ts';

export function errorEvent(error: ErrorObject, requestId: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`;
}
