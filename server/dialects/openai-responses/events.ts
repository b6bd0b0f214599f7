// Names of events that end a stream.
const ends: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

export function isEnd(type: unknown): boolean {
  return ends.has(type);
}
