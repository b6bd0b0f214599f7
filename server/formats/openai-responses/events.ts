// Names of events that end a stream.
const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

export function isEnd(type: unknown): boolean {
  return ends.has(type);
}

/** It has ended without a response that could be gone on from. */
export function isFailure(type: unknown): boolean {
  return type === 'response.failed' || type === 'response.cancelled';
}
