import type { IncomingMessage, ServerResponse } from 'node:http';

/** Node's side of a request, which the server adapter hands over as its context. */
export interface Connection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
