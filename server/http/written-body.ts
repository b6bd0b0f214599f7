// A body that is written while it is sent, no faster than the client takes it.
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
    // A client that is cut off knows that this was not all.
    this.#write(destination).catch(() => destination.destroy());
  }

  /** A client that is gone asks for nothing more. */
  destroy(): void {
    this.#gone.abort();
    this.#open.close();
  }

  async #write(destination: ServerResponse): Promise<void> {
    for await (const bytes of this.#open) {
      if (this.#gone.signal.aborted) return;
      // A piece is valid until the next one is asked for.
      if (!destination.write(bytes)) await once(destination, 'drain', { signal: this.#gone.signal });
    }
    destination.end();
  }
}
