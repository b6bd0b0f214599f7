// One turn of a thread: what it is given, and what becomes of its response.
import type { AppContext } from '#server/context.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { CallConversation } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { Item } from '#server/slices/responses/items.ts';
import type { Chain, ResponseStore } from '#server/slices/responses/response-store.ts';
import { bytesOf, objectIn } from '#server/slices/responses/long-bodies.ts';
import type { Json } from '#server/slices/responses/present-response.ts';
import { ThreadStream } from './thread-stream.ts';

export interface StatefulThreadParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  /** Of the response, whoever writes it. */
  id: string;
  /** The request with all that it goes on from in it. */
  body: RelayBody;
  /** What is kept of it: its own messages, and before the first ones what lasts. */
  input: readonly Item[];
  chain: Chain | null;
  /** Of the request and of all that it speaks of. Given back when what came of it is kept, or nothing is to come. */
  hold: BodyHold;
}

export class StatefulThread implements CallConversation {
  readonly #parts: StatefulThreadParts;
  readonly #collector = clientDialects.claude.collectMessage();
  /** Not all of it could be held. */
  #isLost = false;

  constructor(parts: StatefulThreadParts) {
    this.#parts = parts;
  }

  get body(): RelayBody {
    return this.#parts.body;
  }

  get bytes(): number {
    return this.#parts.hold.bytes;
  }

  get leaves(): { id: string; isStored: boolean } {
    return { id: this.#parts.id, isStored: !this.#isLost };
  }

  pipe(pipe: StreamPipe): StreamPipe {
    return new ThreadStream(pipe, this.#parts.id, (event, bytes) => this.#collect(event, bytes));
  }

  async storeWhole(body: Buffer): Promise<Buffer> {
    const message = await objectIn(body);
    if (message === null) return body;
    await this.#keep(message);
    return bytesOf({ ...message, id: this.#parts.id }, body.length);
  }

  async storeEnding(ending: Buffer): Promise<Buffer> {
    const { message } = this.#collector;
    if (message !== null && !this.#isLost) await this.#keep(message);
    return ending;
  }

  close(): void {
    this.#parts.hold.shrinkTo(0);
  }

  #collect(event: Json, bytes: number): void {
    if (this.#isLost) return;
    try {
      this.#parts.hold.grow(bytes);
      this.#collector.push(event);
    } catch {
      // Its caller gets it all the same, and sends the whole conversation when it goes on.
      this.#isLost = true;
    }
  }

  /** It is paid for: where it cannot be kept, its caller gets it all the same. A turn that was refused is not part of a conversation. */
  async #keep({ content, stop_reason: reason }: Json): Promise<void> {
    const { context, store, userId, id, input, chain } = this.#parts;
    if (reason === 'refusal' || !Array.isArray(content)) return;
    try {
      await store.keep({ response: { id, status: 'completed', output: [{ role: 'assistant', content }] }, userId, input, chain });
    } catch (failure) {
      context.log.error({ err: failure, response: id, userId }, 'a turn of a thread was answered and could not be kept');
      this.#isLost = true;
    }
  }
}
