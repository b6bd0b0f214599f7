// One turn of a thread: expands the history into the request and stores the result.
import type { AppContext } from '#server/context.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { CallConversation } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { Item } from '#server/slices/responses/items.ts';
import type { Chain, ResponseStore } from '#server/slices/responses/response-store.ts';
import { bytesOf, objectIn } from '#server/objects/long-bodies.ts';
import type { Json } from '#server/slices/responses/present-response.ts';
import { ThreadStream } from './thread-stream.ts';

export interface StatefulThreadParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  memberId?: number | undefined;
  /** Response id. */
  id: string;
  /** Request with the history included. */
  body: RelayBody;
  /** Items to store: the turn's messages, preceded in the first turn by the lasting fields. */
  input: readonly Item[];
  chain: Chain | null;
  /** Memory of the request and the history; released when the result is stored or the call has failed. */
  hold: BodyHold;
}

export class StatefulThread implements CallConversation {
  readonly #parts: StatefulThreadParts;
  readonly #collector = clientDialects.claude.collectMessage();
  /** Storing the result has failed. */
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
      // The caller gets the result anyway, and must send the whole conversation next time.
      this.#isLost = true;
    }
  }

  /**
   * The call is charged, so the caller gets the result even if storing it fails. A refused turn is not part of the
   * conversation.
   */
  async #keep({ content, stop_reason: reason }: Json): Promise<void> {
    const { context, store, userId, memberId, id, input, chain } = this.#parts;
    if (reason === 'refusal' || !Array.isArray(content)) return;
    try {
      await store.insert({
        response: { id, status: 'completed', output: [{ role: 'assistant', content }] },
        userId,
        memberId,
        input,
        chain,
      });
    } catch (failure) {
      context.log.error({ err: failure, response: id, userId }, 'a turn of a thread was answered and could not be kept');
      this.#isLost = true;
    }
  }
}
