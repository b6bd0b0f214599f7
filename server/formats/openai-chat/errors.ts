// Errors in this format's shape. The official clients choose the class of what they throw by the status.
import type { ErrorObject } from '../client-dialect.ts';

export function errorBody({ message, type, param, code }: ErrorObject): Record<string, unknown> {
  return { error: { message, type, param, code } };
}

/** Within a stream that has begun; the official clients throw when they see it. */
export function errorEvent(error: ErrorObject): string {
  return `data: ${JSON.stringify(errorBody(error))}\n\n`;
}
