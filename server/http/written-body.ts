// A body that is written while it is sent, with back-pressure.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { OpenBody, PiecedBody } from '#server/framing/byte-source.ts';
import type { PipedBody } from './lean-response.ts';

export class WrittenBody implements PipedBody {
  readonly #open: OpenBody;
  readonly #gone = new AbortController();

  constructor(body: PiecedBody) {
    this.#open = body.open();
  }

  pipe(destination: ServerResponse): void {
    // Destroying the connection shows the client that the body is incomplete.
    this.#write(destination).catch(() => destination.destroy());
  }

  /** Stops reading when the client has disconnected. */
  destroy(): void {
    this.#gone.abort();
    this.#open.close();
  }

  async #write(destination: ServerResponse): Promise<void> {
    for await (const bytes of this.#open) {
      if (this.#gone.signal.aborted) return;
      // A chunk is valid until the next one is read.
      if (!destination.write(bytes)) await once(destination, 'drain', { signal: this.#gone.signal });
    }
    destination.end();
  }
}
