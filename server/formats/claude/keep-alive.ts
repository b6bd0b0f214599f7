const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

/** Returns a keep-alive: a comment, which is valid anywhere, or a `ping` once the message has begun. */
export function keepAlive(hasBegun: boolean): string {
  return hasBegun ? ping : ': keep-alive\n\n';
}
