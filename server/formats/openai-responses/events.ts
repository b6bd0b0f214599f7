// Types of the events that end a stream.
const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

export function isEnd(type: unknown): boolean {
  return ends.has(type);
}

/** Reports whether the event ends the stream without a usable response. */
export function isFailure(type: unknown): boolean {
  return type === 'response.failed' || type === 'response.cancelled';
}
