import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node's request and response, passed to handlers with the fetch request. */
export interface Connection {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Socket of a WebSocket request. Until it is taken over, `res` responds. */
  readonly upgrade?: Upgrade;
}

export interface Upgrade {
  readonly socket: Socket;
  /** Bytes received after the request. */
  readonly head: Buffer;
}
