// Bytes from an address that a provider named, on to a client as it takes them.
import type { ServerResponse } from 'node:http';
import type { EgressStream } from '#server/egress/egress.ts';
import type { PipedBody } from '#server/http/lean-response.ts';

export class PassedEgress implements PipedBody {
  readonly #source: Pick<EgressStream, 'read' | 'close'>;
  readonly #done: () => void;
  #isOver = false;

  /** @param done hears of its end, once */
  constructor(source: Pick<EgressStream, 'read' | 'close'>, done: () => void) {
    this.#source = source;
    this.#done = done;
  }

  pipe(destination: ServerResponse): void {
    void this.#pass(destination);
  }

  async #pass(destination: ServerResponse): Promise<void> {
    try {
      for (let part = await this.#source.read(); part !== null; part = await this.#source.read()) {
        if (destination.destroyed) return;
        // Whether the client goes on is watched by its connection.
        if (!destination.write(part)) await drained(destination);
      }
      destination.end();
    } catch {
      // A client that is cut off knows that this was not all.
      destination.destroy();
    } finally {
      this.destroy();
    }
  }

  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.close();
    this.#done();
  }
}

function drained(destination: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      destination.off('drain', go);
      destination.off('close', go);
      resolve();
    };
    destination.once('drain', go);
    destination.once('close', go);
  });
}
