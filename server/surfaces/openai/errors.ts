// Errors on this surface. The official clients choose the exception class by status.
import type { ErrorObject } from '../api-surface.ts';

export function errorBody({ message, type, param, code }: ErrorObject): Record<string, unknown> {
  return { error: { message, type, param, code } };
}
