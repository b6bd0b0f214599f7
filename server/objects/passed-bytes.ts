// Streams a provider's bytes to a client with back-pressure.
import type { ServerResponse } from 'node:http';
import type { PipedBody } from '#server/http/lean-response.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

export class PassedBytes implements PipedBody {
  readonly #source: EventSource;
  readonly #silenceMs: number;
  readonly #done: () => void;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param silenceMs milliseconds of silence after which the provider times out
   * @param done called at the end, however it ends
   */
  constructor(source: EventSource, silenceMs: number, done: () => void = () => {}) {
    this.#source = source;
    this.#silenceMs = silenceMs;
    this.#done = done;
  }

  pipe(destination: ServerResponse): void {
    // Destroying the connection shows the client that the body is incomplete.
    const cut = () => destination.destroy();
    const watch = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(cut, this.#silenceMs);
    };
    watch();
    this.#source.read({
      data: (chunk) => {
        if (destination.write(chunk)) {
          watch();
          return;
        }
        // The client's connection has its own timeout.
        clearTimeout(this.#timer);
        this.#source.pause();
        destination.once('drain', () => {
          watch();
          this.#source.resume();
        });
      },
      end: () => destination.end(),
      fail: cut,
    });
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#source.abort();
    this.#done();
  }
}
