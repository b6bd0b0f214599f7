// One call that goes on from something, or leaves something: what it is given, and what becomes of its response.
import { isObject } from '#server/framing/loose-json.ts';
import type { PartBudget } from '#server/framing/part-budget.ts';
import type { EventEncoding } from '#server/framing/event-encoding.ts';
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ConversationRecord } from '#server/db/records/conversation.ts';
import { clientDialects } from '#server/formats/registry.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import { bufferResponse } from '#server/http/lean-response.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import { requestIdHeaders } from '#server/call/relay-failure.ts';
import type { BackgroundResponses } from './background.ts';
import type { CallConversation, LaterResponse, UnwatchedCall } from '#server/call/conversation-source.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import { eventsIn } from './event-log.ts';
import { compactedResponse, isSealedHere, openSummaries, SummarySeal } from './compaction.ts';
import { lockMs } from './conversation-store.ts';
import type { ConversationStore } from './conversation-store.ts';
import { asInput, completeItems, itemsOf } from './items.ts';
import type { Item } from './items.ts';
import type { Chain, ResponseStore } from './response-store.ts';
import { GatewayCompacting, thresholdIn } from './shortening.ts';
import { bytesOf, objectIn } from './long-bodies.ts';
import { lastResponse, PresentedStream, writeEvent } from './present-response.ts';
import type { Json } from './present-response.ts';

const dialect = clientDialects['openai-responses'];

export interface StatefulCallParts {
  context: AppContext;
  store: ResponseStore;
  userId: number;
  /** How the events of its stream leave. */
  envelope: EventEncoding;
  /** Of the response. */
  id: string;
  isStored: boolean;
  /** As the caller wrote it. */
  body: RelayBody;
  /** Its own input, references resolved. */
  input: readonly Item[];
  /** What stands before that. */
  before: readonly Item[];
  /** Both, as a provider reads them; null: the caller's body has all of it. */
  sent: readonly Item[] | null;
  chain: Chain | null;
  /** The conversation is to be shortened, and nothing else. */
  isCompaction: boolean;
  /** Who runs it without its caller, and what that is told meanwhile; null: its caller waits. */
  background: { responses: BackgroundResponses; stream(id: string): DirectResponse } | null;
  /** It is added to; null: none is. */
  conversation: HeldConversation | null;
  /** Of the request and of all that it speaks of. Given back when what came of it is kept, or nothing is to come. */
  hold: BodyHold;
}

/** The lock is this call's. */
export interface HeldConversation {
  conversations: ConversationStore;
  record: ConversationRecord;
  holder: string;
}

/** The fields that speak of something kept. The provider never hears of them. */
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
  /** It was to be kept, and could not be. */
  #isLost = false;
  /** On its own, beyond the call. */
  #isRunning = false;

  constructor(parts: StatefulCallParts) {
    const { context, userId, body, sent, input, id, conversation } = parts;
    this.#parts = parts;
    this.#input = completeItems(input, id);
    if (parts.background !== null) this.later = { begin: (call) => this.#begin(call) };
    const named = Object.fromEntries(Object.entries(body).filter(([name]) => !stateFields.has(name)));
    // What stands before it comes first and as it was, so that providers find it in their caches.
    const rest = parts.background === null ? named : { ...named, stream: true };
    this.body = sent === null ? rest : { ...rest, input: sent };
    this.#seal = new SummarySeal(context, userId);
    const threshold = isTriggered(body) ? undefined : thresholdIn(body);
    this.#shortening =
      threshold === undefined ? null : new GatewayCompacting({ context, userId, responseId: id, body: this.body, threshold });
    // Last: who makes no call of it does not close it either.
    this.#renewal = conversation === null ? undefined : renewing(conversation);
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
    // A compaction tells what its callers have said.
    return isCompaction ? bytesOf(compactedResponse(reported, [...before, ...input]), Infinity) : bytesOf(reported, body.length);
  }

  async storeEnding(ending: Buffer): Promise<Buffer> {
    const { envelope } = this.#parts;
    const last = lastResponse(ending, envelope);
    if (last === null) return ending;
    // One that goes on without its caller is written with the last of its events.
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

  /** It is paid for: where it cannot be kept, its caller gets it all the same, and is told that it is not. */
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
    return this.#shortening !== null && (status === 'completed' || status === 'incomplete') ? this.#shortening.reported(items) : items;
  }

  async #begin(call: UnwatchedCall): Promise<DirectResponse> {
    const { body, background, conversation, userId, chain } = this.#parts;
    if (background === null) throw new Error('A response that its caller waits for is not run in the background');
    const shell = { ...this.#reported(shellOf(body, call)), status: 'queued' };
    this.#isRunning = true;
    try {
      const ending = async (response: Json) => {
        // Without its lock it is another call's, or this one has added to it already.
        if (conversation === null || !(await conversation.conversations.isHeld(conversation.record.id, conversation.holder))) return [];
        return (await this.#addition(conversation, response)).writes;
      };
      const held = conversation === null ? null : { id: conversation.record.id, holder: conversation.holder };
      const work = { userId, shell, input: this.#input, chain, ending, conversation: held, ended: () => this.#end() };
      await background.responses.begin(work, call);
    } catch (failure) {
      this.#isRunning = false;
      throw failure;
    }
    if (body['stream'] === true) return background.stream(this.#parts.id);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
    return bufferResponse(200, { ...headers, ...requestIdHeaders(dialect, call.requestId) }, Buffer.from(JSON.stringify(shell)));
  }

  async #keep(response: Json): Promise<void> {
    const { context, store, userId, isStored, chain, conversation } = this.#parts;
    const stored = isStored ? await store.recordOf({ response, userId, input: this.#input, chain }) : null;
    const added = conversation === null ? null : await this.#addition(conversation, response);
    if (stored === null && added === null) return;
    const insertion: Write[] = stored === null ? [] : [...stored.rest, { insert: stored.record, into: 'responses' }];
    await context.db.write([...insertion, ...(added?.writes ?? [])]);
    const bytes = (stored?.record.bytes ?? 0) + (added?.bytes ?? 0);
    // It is kept: what is counted wrongly now is put right when the oldest are removed.
    await store.holdings.added(userId, { count: stored === null ? 0 : 1, bytes }).catch((failure: unknown) => {
      context.log.warn({ reason: String(failure), userId }, 'what is kept of a user could not be counted');
    });
  }

  #addition({ conversations, record, holder }: HeldConversation, { output }: Json) {
    return conversations.addition(record, holder, [...this.#input, ...itemsOf(output)]);
  }
}

/** `KeptCallParts.sent`. @throws {AppError} as `openSummaries` */
export async function itemsToSend(
  { context, userId, body, before, input }: Pick<StatefulCallParts, 'context' | 'userId' | 'body' | 'before' | 'input'>,
  budget: PartBudget,
): Promise<Item[] | null> {
  const own = itemsOf(body['input']);
  const isWhole =
    before.length === 0 &&
    !input.some(isSealedHere) &&
    input.every((item, index) => item === own[index] || typeof body['input'] === 'string');
  if (isWhole) return null;
  const requested = input.map((item, index) => (item === own[index] ? item : asInput(item)));
  return openSummaries(context, userId, { items: [...before.map(asInput), ...requested], budget });
}

/** Its lock stays while the call goes on, however long that takes. */
function renewing({ conversations, record, holder }: HeldConversation): NodeJS.Timeout {
  const renewal = setInterval(() => {
    // What fails now may be done by the next one.
    conversations.renew(record.id, holder).catch(() => {});
  }, lockMs / 3);
  renewal.unref();
  return renewal;
}

/** The response before anything has come, as a stream would begin with it. */
function shellOf(body: RelayBody, { requestId, createdAt, model }: UnwatchedCall): Json {
  const requested = dialect.calls.chat.responseFields(body);
  const writer = dialect.createStreamWriter({ model, requestId, createdAt, wantsUsage: true, promptEstimate: 0, requested });
  const [begun] = eventsIn(Buffer.from(writer.write({ type: 'start', id: '', model })));
  return isObject(begun?.['response']) ? begun['response'] : {};
}

/** It ends with what stands for everything before. */
function isTriggered({ input }: RelayBody): boolean {
  const last: unknown = Array.isArray(input) ? input.at(-1) : undefined;
  return isObject(last) && last.type === 'compaction_trigger';
}
