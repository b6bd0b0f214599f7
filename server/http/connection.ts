import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's side of a request, which handlers get beside it. */
export interface Connection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Where a WebSocket is asked for: what it is made of. Until then `res` answers. */
  readonly upgrade?: Upgrade;
}

export interface Upgrade {
  readonly socket: Socket;
  /** What has come behind the request. */
  readonly head: Buffer;
}
