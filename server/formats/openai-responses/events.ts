// Events that end a stream.
const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

export function isEnd(type: unknown): boolean {
  return ends.has(type);
}

/** Whether the stream ended without a response that can be continued. */
export function isFailure(type: unknown): boolean {
  return type === 'response.failed' || type === 'response.cancelled';
}
