import type { IncomingMessage, ServerResponse } from 'node:http';

/** Node's side of a request, which handlers get beside it. */
export interface Connection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
