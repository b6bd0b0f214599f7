// Cuts off unread responses, which hold bytes, a connection and, if streamed, an upstream and money.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { SendQueues } from '#server/network/send-queues.ts';
import type { Passage, ProgressWatch } from '#server/network/progress-watch.ts';

/** Watches a response until its connection is free; cuts it off if it is not read. */
export function watchResponse(watch: ProgressWatch, response: ServerResponse): void {
  const watched = new WatchedResponse(response);
  watch.add(watched);
  response.on('close', () => watch.remove(watched));
}

/** Same for an upgraded connection. */
export function watchSocket(watch: ProgressWatch, socket: Socket): void {
  const watched = new WatchedResponse({ socket, destroy: () => socket.destroy() });
  watch.add(watched);
  socket.on('close', () => watch.remove(watched));
}

interface Written {
  readonly socket: Socket | null;
  destroy(): void;
}

class WatchedResponse implements Passage {
  watchPlace = -1;
  watchedBytes = 0;
  watchedAt = 0;
  watchedTaken: number | undefined;
  readonly #response: Written;
  #taken = 0;
  #handedOver = 0;
  #queued = 0;

  constructor(response: Written) {
    this.#response = response;
  }

  /** Null if nothing is waiting to be read: the client is waiting for the server. */
  passed(): number | null {
    const { socket } = this.#response;
    if (socket === null || socket.destroyed || socket.writableLength === 0) return null;
    // Progress: whole chunks that Node has written, plus the decrease of the current chunk.
    const handedOver = socket.bytesWritten - socket.writableLength;
    const queued = queuedIn(socket);
    this.#taken += handedOver === this.#handedOver ? Math.max(0, this.#queued - queued) : Math.max(0, handedOver - this.#handedOver);
    this.#handedOver = handedOver;
    this.#queued = queued;
    return this.#taken;
  }

  untaken(queues: SendQueues): number | undefined {
    const { socket } = this.#response;
    return socket === null ? undefined : queues.of(socket);
  }

  stuck(): void {
    this.#response.destroy();
  }
}

/** Bytes of the current write that the system has not accepted; Node's socket timeout uses the same. */
function queuedIn(socket: Socket): number {
  const handle: unknown = '_handle' in socket ? socket._handle : null;
  if (typeof handle !== 'object' || handle === null || !('writeQueueSize' in handle)) return 0;
  return typeof handle.writeQueueSize === 'number' ? handle.writeQueueSize : 0;
}
