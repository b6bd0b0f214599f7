// One Interactions call that continues a stored interaction or is stored.
import type { AppContext } from '#server/context.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { bufferResponse, type DirectResponse } from '#server/http/lean-response.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { CallConversation, LaterResponse, UnwatchedCall } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { requestIdHeaders } from '#server/call/relay-failure.ts';
import type { BackgroundResponses } from '#server/slices/responses/background.ts';
import { eventsIn } from '#server/slices/responses/event-log.ts';
import type { Item } from '#server/slices/responses/items.ts';
import type { Chain, ResponseStore } from '#server/slices/responses/response-store.ts';
import { bytesOf, objectIn } from '#server/objects/long-bodies.ts';
import type { Json } from '#server/slices/responses/present-response.ts';
import { asInteraction, asResponse, lastInteraction, loggedBody, writeInteractionEvent } from './present-interaction.ts';

const dialect = clientDialects['gemini-interactions'];

export interface StatefulInteractionParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  memberId?: number | undefined;
  /** Interaction id, also used by the stream writer. */
  id: string;
  isStored: boolean;
  /** The caller's body. */
  body: RelayBody;
  /** Earlier steps. */
  before: readonly Item[];
  chain: Chain | null;
  /** Runner of background calls, and the stream of their events; null if the caller waits. */
  background: { responses: BackgroundResponses; stream(id: string): DirectResponse } | null;
  /** Memory of the request and the history; released when the result is stored or the call has failed. */
  hold: BodyHold;
}

/** Fields that refer to stored state; not sent to the provider. */
const stateFields: ReadonlySet<string> = new Set(['previous_interaction_id', 'background']);

export class StatefulInteraction implements CallConversation {
  readonly body: RelayBody;
  readonly later?: LaterResponse;
  readonly #parts: StatefulInteractionParts;
  readonly #input: readonly Item[];
  /** Storing the result has failed. */
  #isLost = false;
  /** The call runs in the background, which releases `hold` at its end. */
  #isRunning = false;

  constructor(parts: StatefulInteractionParts) {
    this.#parts = parts;
    const { body, before } = parts;
    this.#input = dialect.stepsOf(body['input']);
    if (parts.background !== null) this.later = { begin: (call) => this.#begin(call) };
    const named = Object.fromEntries(Object.entries(body).filter(([name]) => !stateFields.has(name)));
    const rest = parts.background === null ? named : { ...named, stream: true };
    // The history comes first and unchanged, so that provider caches match.
    this.body = before.length === 0 ? rest : { ...rest, input: [...before, ...this.#input] };
  }

  get bytes(): number {
    return this.#parts.hold.bytes;
  }

  get leaves(): { id: string; isStored: boolean } {
    const { id, isStored } = this.#parts;
    return { id, isStored: isStored && !this.#isLost };
  }

  /** The stream writer already has the id. */
  pipe(pipe: StreamPipe): StreamPipe {
    return pipe;
  }

  async storeWhole(body: Buffer): Promise<Buffer> {
    const interaction = await objectIn(body);
    return interaction === null ? body : bytesOf(await this.#stored(interaction), body.length);
  }

  async storeEnding(ending: Buffer): Promise<Buffer> {
    const last = lastInteraction(ending);
    if (last === null) return ending;
    // A background interaction is stored with its last events.
    const interaction = this.later === undefined ? await this.#stored(last.interaction) : this.#reported(last.interaction);
    return Buffer.concat([last.before, writeInteractionEvent({ ...last.event, interaction })]);
  }

  close(): void {
    if (!this.#isRunning) this.#parts.hold.shrinkTo(0);
  }

  #reported(interaction: Json): Json {
    const { previous_interaction_id: previous, labels } = this.#parts.body;
    return {
      ...interaction,
      ...(previous === undefined || previous === null ? {} : { previous_interaction_id: previous }),
      ...(labels === undefined || labels === null ? {} : { labels }),
    };
  }

  /** The call is charged, so the caller gets the result even if storing it fails. */
  async #stored(interaction: Json): Promise<Json> {
    const { context, store, userId, memberId, id, isStored, chain } = this.#parts;
    const reported = this.#reported(interaction);
    if (!isStored) return reported;
    try {
      await store.insert({ response: asResponse(reported), userId, memberId, input: this.#input, chain });
    } catch (failure) {
      context.log.error({ err: failure, response: id, userId }, 'an interaction was answered and could not be kept');
      this.#isLost = true;
    }
    return reported;
  }

  async #begin(call: UnwatchedCall): Promise<DirectResponse> {
    const { body, background, userId, memberId, chain, hold } = this.#parts;
    if (background === null) throw new Error('An interaction that its caller waits for is not run in the background');
    const shell = { ...asResponse({ ...this.#reported(shellOf(call)), steps: [] }), status: 'queued' };
    this.#isRunning = true;
    try {
      const end = { ending: () => Promise.resolve([]), conversation: null, ended: () => hold.shrinkTo(0) };
      const work = { userId, memberId, shell, input: this.#input, chain, ...end };
      await background.responses.begin(work, { ...call, run: (log) => call.run(loggedBody(log)) });
    } catch (failure) {
      this.#isRunning = false;
      throw failure;
    }
    if (body['stream'] === true) return background.stream(this.#parts.id);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    const reported = Buffer.from(JSON.stringify(asInteraction(shell)));
    return bufferResponse(200, { ...call.headers, ...headers, ...requestIdHeaders(dialect.surface, call.requestId) }, reported);
  }
}

/** Returns the interaction before any output, as in the first event of a stream. */
function shellOf({ requestId, createdAt, model }: UnwatchedCall): Json {
  const writer = dialect.createStreamWriter({ model, requestId, createdAt, wantsUsage: true, promptEstimate: 0 });
  const [begun] = eventsIn(Buffer.from(writer.write({ type: 'start', id: '', model })));
  const interaction = begun?.['interaction'];
  return typeof interaction === 'object' && interaction !== null ? { ...interaction } : {};
}
