// One call of Interactions that goes on from something, or leaves something.
import type { AppContext } from '#server/context.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { bufferResponse } from '#server/http/lean-response.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { CallConversation, LaterResponse, UnwatchedCall } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { requestIdHeaders } from '#server/call/relay-failure.ts';
import type { BackgroundResponses } from '#server/slices/responses/background.ts';
import { eventsIn } from '#server/slices/responses/event-log.ts';
import type { Item } from '#server/slices/responses/items.ts';
import type { Chain, ResponseStore } from '#server/slices/responses/response-store.ts';
import { bytesOf, objectIn } from '#server/slices/responses/long-bodies.ts';
import type { Json } from '#server/slices/responses/present-response.ts';
import { asInteraction, asResponse, lastInteraction, loggedBody, writeInteractionEvent } from './present-interaction.ts';

const dialect = clientDialects['gemini-interactions'];

export interface StatefulInteractionParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  /** As its writer calls it. */
  id: string;
  isStored: boolean;
  /** As the caller wrote it. */
  body: RelayBody;
  /** Steps before its own. */
  before: readonly Item[];
  chain: Chain | null;
  /** Who runs it without its caller, and what that is told meanwhile; null: its caller waits. */
  background: { responses: BackgroundResponses; stream(id: string): DirectResponse } | null;
  /** Of the request and of all that it speaks of. Given back when what came of it is kept, or nothing is to come. */
  hold: BodyHold;
}

/** The fields that speak of something kept. The provider never hears of them. */
const stateFields: ReadonlySet<string> = new Set(['previous_interaction_id', 'background']);

export class StatefulInteraction implements CallConversation {
  readonly body: RelayBody;
  readonly later?: LaterResponse;
  readonly #parts: StatefulInteractionParts;
  readonly #input: readonly Item[];
  /** It was to be kept, and could not be. */
  #isLost = false;
  /** On its own, beyond the call. */
  #isRunning = false;

  constructor(parts: StatefulInteractionParts) {
    this.#parts = parts;
    const { body, before } = parts;
    this.#input = dialect.stepsOf(body['input']);
    if (parts.background !== null) this.later = { begin: (call) => this.#begin(call) };
    const named = Object.fromEntries(Object.entries(body).filter(([name]) => !stateFields.has(name)));
    const rest = parts.background === null ? named : { ...named, stream: true };
    // What stands before it comes first and as it was, so that providers find it in their caches.
    this.body = before.length === 0 ? rest : { ...rest, input: [...before, ...this.#input] };
  }

  get bytes(): number {
    return this.#parts.hold.bytes;
  }

  get leaves(): { id: string; isStored: boolean } {
    const { id, isStored } = this.#parts;
    return { id, isStored: isStored && !this.#isLost };
  }

  /** Its writer knows its id already. */
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
    // One that goes on without its caller is written with the last of its events.
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

  /** It is paid for: where it cannot be kept, its caller gets it all the same. */
  async #stored(interaction: Json): Promise<Json> {
    const { context, store, userId, id, isStored, chain } = this.#parts;
    const reported = this.#reported(interaction);
    if (!isStored) return reported;
    try {
      await store.keep({ response: asResponse(reported), userId, input: this.#input, chain });
    } catch (failure) {
      context.log.error({ err: failure, response: id, userId }, 'an interaction was answered and could not be kept');
      this.#isLost = true;
    }
    return reported;
  }

  async #begin(call: UnwatchedCall): Promise<DirectResponse> {
    const { body, background, userId, chain, hold } = this.#parts;
    if (background === null) throw new Error('An interaction that its caller waits for is not run in the background');
    const shell = { ...asResponse({ ...this.#reported(shellOf(call)), steps: [] }), status: 'queued' };
    this.#isRunning = true;
    try {
      const end = { ending: () => Promise.resolve([]), conversation: null, ended: () => hold.shrinkTo(0) };
      const work = { userId, shell, input: this.#input, chain, ...end };
      await background.responses.begin(work, { ...call, run: (log) => call.run(loggedBody(log)) });
    } catch (failure) {
      this.#isRunning = false;
      throw failure;
    }
    if (body['stream'] === true) return background.stream(this.#parts.id);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    const reported = Buffer.from(JSON.stringify(asInteraction(shell)));
    return bufferResponse(200, { ...headers, ...requestIdHeaders(dialect, call.requestId) }, reported);
  }
}

/** The interaction before anything has come, as a stream would begin with it. */
function shellOf({ requestId, createdAt, model }: UnwatchedCall): Json {
  const writer = dialect.createStreamWriter({ model, requestId, createdAt, wantsUsage: true, promptEstimate: 0 });
  const [begun] = eventsIn(Buffer.from(writer.write({ type: 'start', id: '', model })));
  const interaction = begun?.['interaction'];
  return typeof interaction === 'object' && interaction !== null ? { ...interaction } : {};
}
