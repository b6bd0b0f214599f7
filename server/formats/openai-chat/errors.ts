// Errors of this format. The official clients choose the exception class by status.
import type { ErrorObject } from '../api-surface.ts';

export function errorBody({ message, type, param, code }: ErrorObject): Record<string, unknown> {
  return { error: { message, type, param, code } };
}

/** Error within a stream; the official clients throw on it. */
export function errorEvent(error: ErrorObject): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}
