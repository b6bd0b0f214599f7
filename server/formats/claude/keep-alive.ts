const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

/** Comments are valid anywhere; a `ping` only after the message has begun. */
export function keepAlive(hasBegun: boolean): string {
  return hasBegun ? ping : ': keep-alive\n\n';
}
