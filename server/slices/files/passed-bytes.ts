// Bytes of a provider that go to a client as they come, no faster than it takes them.
import type { ServerResponse } from 'node:http';
import type { PipedBody } from '#server/http/lean-response.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';

export class PassedBytes implements PipedBody {
  readonly #source: EventSource;
  readonly #silenceMs: number;
  readonly #done: () => void;
  #timer: NodeJS.Timeout | undefined;

  /** @param silenceMs after which a provider that says nothing more is given up @param done it is over, however it ended */
  constructor(source: EventSource, silenceMs: number, done: () => void = () => {}) {
    this.#source = source;
    this.#silenceMs = silenceMs;
    this.#done = done;
  }

  pipe(destination: ServerResponse): void {
    // A client that is cut off knows that this was not all.
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
        // Whether the client goes on is watched by its connection.
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
