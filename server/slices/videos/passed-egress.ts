// Streams bytes from a provider's URL to a client with back-pressure.
import type { ServerResponse } from 'node:http';
import type { EgressStream } from '#server/egress/egress.ts';
import type { PipedBody } from '#server/http/lean-response.ts';

export class PassedEgress implements PipedBody {
  readonly #source: Pick<EgressStream, 'read' | 'close'>;
  readonly #done: () => void;
  #isOver = false;

  /** @param done called once at the end */
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
        // The client's connection has its own timeout.
        if (!destination.write(part)) await drained(destination);
      }
      destination.end();
    } catch {
      // Destroying the connection shows the client that the body is incomplete.
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
