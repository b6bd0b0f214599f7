const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

/** Clients pass over a comment everywhere; a ping may stand only after the message has begun. */
export function keepAlive(hasBegun: boolean): string {
  return hasBegun ? ping : ': keep-alive\n\n';
}
