// Types of `ws` parts that its own types omit: reading and writing frames over an existing connection.
// https://github.com/websockets/ws/blob/master/lib/receiver.js,
// https://github.com/websockets/ws/blob/master/lib/sender.js
import type { Duplex, Writable } from 'node:stream';

declare module 'ws' {
  /** Events: message(bytes, isBinary), ping(bytes), pong(bytes), conclude(code, reason), error. */
  export class Receiver extends Writable {
    constructor(options: { isServer: boolean; maxPayload: number; maxFragments?: number; maxBufferedChunks?: number });
  }

  export class Sender {
    constructor(socket: Duplex);
    send(data: Buffer, options: { binary: boolean; compress: boolean; fin: boolean; mask: boolean }): void;
    ping(data: Buffer, mask: boolean): void;
    pong(data: Buffer, mask: boolean): void;
    close(code: number | undefined, reason: string, mask: boolean): void;
  }
}
