// A call with stored state: expands the stored history into the request and stores the response.
import { isObject } from '#server/framing/loose-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { bufferResponse, type DirectResponse } from '#server/http/lean-response.ts';
import { requestIdHeaders } from '#server/call/relay-failure.ts';
import type { BackgroundResponses } from './background.ts';
import type { CallConversation, LaterResponse, UnwatchedCall } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { eventsIn } from './event-log.ts';
import { compactedResponse, isSealedHere, openSummaries, SummarySeal } from './compaction.ts';
import { type ConversationStore, lockMs } from './conversation-store.ts';
import { asInput, completeItems, type Item, itemsOf } from './items.ts';
import type { Chain, ResponseStore } from './response-store.ts';
import { GatewayCompacting, thresholdIn } from './gateway-compaction.ts';
import { bytesOf, objectIn } from '#server/objects/long-bodies.ts';
import { type Json, lastResponse, PresentedStream, writeEvent } from './present-response.ts';

const dialect = clientDialects['openai-responses'];

export interface StatefulCallParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  /** As in `ObjectOwner`. */
  memberId?: number | undefined;
  /** Encoding of the stream's events. */
  envelope: EventEncoding;
  /** Response id. */
  id: string;
  isStored: boolean;
  /** The caller's body. */
  body: RelayBody;
  /** Input of the call, with references resolved. */
  input: readonly Item[];
  /** History. */
  before: readonly Item[];
  /** History and input as sent; null if the caller's body contains everything. */
  sent: readonly Item[] | null;
  chain: Chain | null;
  /** The call is a compaction request, whose response contains only the compacted conversation. */
  isCompaction: boolean;
  /** Runner of background calls, and the stream of their events; null if the caller waits. */
  background: { responses: BackgroundResponses; stream(id: string): DirectResponse } | null;
  /** Conversation to add to; null for none. */
  conversation: HeldConversation | null;
  /** Memory of the request and the history; released when the result is stored or the call has failed. */
  hold: BodyHold;
}

/** Conversation locked by this call. */
export interface HeldConversation {
  conversations: ConversationStore;
  record: ConversationRecord;
  holder: string;
}

/** Fields that refer to stored state; not sent to the provider. */
const stateFields: ReadonlySet<string> = new Set(['previous_response_id', 'conversation', 'background']);

export class StatefulCall implements CallConversation {
  readonly body: RelayBody;
  readonly #parts: StatefulCallParts;
  readonly #input: readonly Item[];
  readonly #renewal: NodeJS.Timeout | undefined;
  readonly later?: LaterResponse;
  readonly #seal: SummarySeal;
  readonly #shortening: GatewayCompacting | null;

  #isClosed = false;
  /** Storing the result has failed. */
  #isLost = false;
  /** The call runs in the background, which calls `#end`. */
  #isRunning = false;

  constructor(parts: StatefulCallParts) {
    const { context, userId, body, sent, input, id, conversation } = parts;
    this.#parts = parts;
    this.#input = completeItems(input, id);
    if (parts.background !== null) this.later = { begin: (call) => this.#begin(call) };
    const named = Object.fromEntries(Object.entries(body).filter(([name]) => !stateFields.has(name)));
    // The history comes first and unchanged, so that provider caches match.
    const rest = parts.background === null ? named : { ...named, stream: true };
    this.body = sent === null ? rest : { ...rest, input: sent };
    this.#seal = new SummarySeal(context, userId);
    const threshold = isTriggered(body) ? undefined : thresholdIn(body);
    this.#shortening =
      threshold === undefined ? null : new GatewayCompacting({ context, userId, responseId: id, body: this.body, threshold });
    // The timer is started last: nothing would stop it if the constructor threw.
    this.#renewal = conversation === null ? undefined : startRenewal(conversation);
  }

  get bytes(): number {
    return this.#parts.hold.bytes;
  }

  get leaves(): { id: string; isStored: boolean } {
    const { id, isStored } = this.#parts;
    return { id, isStored: isStored && !this.#isLost };
  }

  get shortening(): GatewayCompacting | undefined {
    return this.#shortening ?? undefined;
  }

  pipe(pipe: StreamPipe): StreamPipe {
    const item = isTriggered(this.body) ? (reported: unknown) => this.#seal.item(reported) : null;
    const front = this.#shortening?.front ?? null;
    return new PresentedStream(pipe, { response: (response) => this.#reported(response), item, front }, this.#parts.envelope);
  }

  async storeWhole(body: Buffer): Promise<Buffer> {
    const response = await objectIn(body);
    if (response === null) return body;
    const reported = await this.#stored(response);
    const { isCompaction, before, input } = this.#parts;
    // A compaction returns the user messages.
    return isCompaction ? bytesOf(compactedResponse(reported, [...before, ...input]), Infinity) : bytesOf(reported, body.length);
  }

  async storeEnding(ending: Buffer): Promise<Buffer> {
    const { envelope } = this.#parts;
    const last = lastResponse(ending, envelope);
    if (last === null) return ending;
    // A background response is stored with its last events.
    const reported = this.later === undefined ? await this.#stored(last.response) : this.#reported(last.response);
    return Buffer.concat([last.before, writeEvent({ ...last.body, response: reported }, envelope)]);
  }

  close(): void {
    if (!this.#isRunning) this.#end();
  }

  #end(): void {
    const { conversation, context, hold } = this.#parts;
    if (this.#isClosed) return;
    this.#isClosed = true;
    hold.shrinkTo(0);
    if (conversation === null) return;
    clearInterval(this.#renewal);
    context.waitUntil(conversation.conversations.unlock(conversation.record.id, conversation.holder));
  }

  /** The call is charged, so the caller gets the result even if storing it fails; `store` is then false. */
  async #stored(response: Json): Promise<Json> {
    const reported = this.#reported(response);
    try {
      await this.#keep(reported);
      return reported;
    } catch (failure) {
      const { context, id, userId } = this.#parts;
      context.log.error({ err: failure, response: id, userId }, 'a response was answered and could not be kept');
      this.#isLost = true;
      return this.#reported(response);
    }
  }

  #reported(response: Json): Json {
    const { id, body } = this.#parts;
    const { isStored } = this.leaves;
    const conversation = this.#isLost ? null : this.#parts.conversation;
    return {
      ...response,
      ...(Array.isArray(response['output']) ? { output: this.#reportedOutput(response['output'], response['status']) } : {}),
      id,
      previous_response_id: body['previous_response_id'] ?? null,
      conversation: conversation === null ? null : { id: conversation.record.id },
      store: isStored,
      background: this.later !== undefined,
      ...(isObject(body['metadata']) ? { metadata: body['metadata'] } : {}),
    };
  }

  #reportedOutput(output: readonly unknown[], status: unknown): unknown[] {
    const items = output.map((item) => this.#seal.item(item));
    return this.#shortening !== null && (status === 'completed' || status === 'incomplete') ? this.#shortening.withFront(items) : items;
  }

  async #begin(call: UnwatchedCall): Promise<DirectResponse> {
    const { body, background, conversation, userId, memberId, chain } = this.#parts;
    if (background === null) throw new Error('A response that its caller waits for is not run in the background');
    const shell = { ...this.#reported(shellOf(body, call)), status: 'queued' };
    this.#isRunning = true;
    try {
      const ending = async (response: Json) => {
        // If the lock is lost, another call holds it, or this call has added its items already.
        if (conversation === null || !(await conversation.conversations.isHeld(conversation.record.id, conversation.holder))) return [];
        return (await this.#addition(conversation, response)).writes;
      };
      const held = conversation === null ? null : { id: conversation.record.id, holder: conversation.holder };
      const work = { userId, memberId, shell, input: this.#input, chain, ending, conversation: held, ended: () => this.#end() };
      await background.responses.begin(work, call);
    } catch (failure) {
      this.#isRunning = false;
      throw failure;
    }
    if (body['stream'] === true) return background.stream(this.#parts.id);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    return bufferResponse(
      200,
      { ...call.headers, ...headers, ...requestIdHeaders(dialect.surface, call.requestId) },
      Buffer.from(JSON.stringify(shell)),
    );
  }

  async #keep(response: Json): Promise<void> {
    const { context, store, userId, memberId, isStored, chain, conversation } = this.#parts;
    const stored = isStored ? await store.recordOf({ response, userId, memberId, input: this.#input, chain }) : null;
    const added = conversation === null ? null : await this.#addition(conversation, response);
    if (stored === null && added === null) return;
    const insertion: Write[] = stored === null ? [] : [...stored.rest, { insert: stored.record, into: 'responses' }];
    await context.db.write([...insertion, ...(added?.writes ?? [])]);
    const bytes = (stored?.record.bytes ?? 0) + (added?.bytes ?? 0);
    // The response is stored: wrong totals are corrected at the next removal.
    await store.holdings.added(userId, { count: stored === null ? 0 : 1, bytes }).catch((failure: unknown) => {
      context.log.warn({ reason: String(failure), userId }, 'what is kept of a user could not be counted');
    });
  }

  #addition({ conversations, record, holder }: HeldConversation, { output }: Json) {
    return conversations.addition(record, holder, [...this.#input, ...itemsOf(output)]);
  }
}

/**
 * Returns `StatefulCallParts.sent`: the history and the input as sent; null if the caller's body contains everything.
 * @throws {AppError} as `openSummaries`
 */
export async function itemsToSend(
  { context, userId, body, before, input }: Pick<StatefulCallParts, 'context' | 'userId' | 'body' | 'before' | 'input'>,
  budget: PartBudget,
): Promise<Item[] | null> {
  const given = itemsOf(body['input']);
  const isWhole =
    before.length === 0 &&
    !input.some(isSealedHere) &&
    input.every((item, index) => item === given[index] || typeof body['input'] === 'string');
  if (isWhole) return null;
  const requested = input.map((item, index) => (item === given[index] ? item : asInput(item)));
  return openSummaries(context, userId, { items: [...before.map(asInput), ...requested], budget });
}

/** Renews the lock while the call runs. */
function startRenewal({ conversations, record, holder }: HeldConversation): NodeJS.Timeout {
  const renewal = setInterval(() => {
    // A failed renewal may succeed next time.
    conversations.renew(record.id, holder).catch(() => {});
  }, lockMs / 3);
  renewal.unref();
  return renewal;
}

/** Returns the response before any output, as in the first event of a stream. */
function shellOf(body: RelayBody, { requestId, createdAt, model }: UnwatchedCall): Json {
  const requested = dialect.calls.chat.responseFields(body);
  const writer = dialect.createStreamWriter({ model, requestId, createdAt, wantsUsage: true, promptEstimate: 0, requested });
  const [begun] = eventsIn(Buffer.from(writer.write({ type: 'start', id: '', model })));
  return isObject(begun?.['response']) ? begun['response'] : {};
}

/** Reports whether the input ends with a compaction trigger. */
function isTriggered({ input }: RelayBody): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}
