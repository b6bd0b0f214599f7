// A call that goes to its provider in pieces, each a call of another kind, and comes back as one response in the caller's own format:
// whoever receives it need not know. What is whole is asked for a few at a time; streams follow each other.
import { sumOfUsages } from '#shared/token-usage.ts';
import type { CallKind, CallPiece, CallPieces } from '#server/calls/call-kind.ts';
import type { ResponseWriterOptions } from '#server/dialects/client-dialect.ts';
import { framings } from '#server/framing/registry.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { JsonObject } from '#server/framing/loose-json.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import type { UpstreamCall } from './build-request.ts';
import type { CallExchange, ExchangeContext, Received, SendOptions, SentRequest } from './exchange.ts';
import { PieceStream } from './piece-stream.ts';
import type { StreamedPiece } from './piece-stream.ts';
import type { ResponseRoom, SendLimits } from './send.ts';
import { decodeTokens } from './token-estimate.ts';
import { failureInBody, invalidResponse } from './upstream-error.ts';
import type { UpstreamFailure } from './upstream-error.ts';

type SentCall = Omit<UpstreamCall, 'settings'>;
type SendCall = (context: ExchangeContext, call: SentCall, options: SendOptions) => CallExchange | Promise<CallExchange>;

/** Pieces that are asked for at a time. */
const atOnce = 4;

interface Pieces {
  context: ExchangeContext;
  call: SentCall;
  over: CallPieces;
}

/** @throws {AppError} as `sendCall`; nothing has been sent then */
export async function sendPieces({ context, call, over }: Pieces, options: SendOptions, sendCall: SendCall): Promise<CallExchange> {
  const pieces = await over.split(call.body, (lists) => decodeTokens(lists, call.originModel));
  const [first] = pieces;
  if (first === undefined) throw new Error('A call has no pieces');
  const sending = new PieceSending();
  const { limits, isWanted = () => true } = options;
  const room = limits.room === undefined ? undefined : new SharedRoom(limits.room);
  const send = async (piece: CallPiece): Promise<CallExchange> => {
    const asked = { ...call, kind: over.kind, body: piece.body, rawText: JSON.stringify(piece.body) };
    return sending.add(
      await sendCall(context, asked, {
        limits: limitsOfPiece(limits, pieces.length, room),
        isWanted: () => !sending.isAborted && isWanted(),
      }),
    );
  };
  const begun = await send(first);
  const writer = writerOf(call, context.now());
  const answer: Answering = { call, over, pieces, send, sending, writer };
  const received = call.isStream ? streamOf(answer, begun) : wholeOf(answer, begun);
  return { sending, received, request: { ...begun.request, way: asAsked(begun.request.way, over, call.kind, call.client) } };
}

/** Together they are no longer than the response may be. */
function limitsOfPiece({ responseMs, maxBytes }: SendLimits, count: number, room: SharedRoom | undefined): SendLimits {
  const limits = { responseMs, maxBytes: Math.floor(maxBytes / count) };
  return room === undefined ? limits : { ...limits, room: room.ofPiece() };
}

/** The room of one response, for those to its pieces. */
class SharedRoom {
  readonly #room: ResponseRoom;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(room: ResponseRoom) {
    this.#room = room;
  }

  ofPiece(): ResponseRoom {
    let own = 0;
    return {
      grow: (bytes, goOn) => {
        this.#bytes += bytes - own;
        own = bytes;
        const fits = this.#room.grow(this.#bytes, () => this.#goOn());
        if (fits) this.#goOn();
        else this.#waiting.add(goOn);
        return fits;
      },
    };
  }

  #goOn(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const goOn of waiting) goOn();
  }
}

/** What is under way of a call. */
class PieceSending {
  isAborted = false;
  isSent = false;
  #mayHold: ((bytes: number) => boolean) | undefined;
  readonly #open = new Set<CallExchange['sending']>();

  add(exchange: CallExchange): CallExchange {
    const { sending, received } = exchange;
    this.isSent ||= sending.isSent;
    this.#open.add(sending);
    if (this.#mayHold !== undefined) sending.limitBy(this.#mayHold);
    if (this.isAborted) sending.abort();
    void received.then((response) => {
      this.isSent ||= response.status !== 0 || sending.isSent;
      // A stream is under way until its reader has it.
      if (response.kind !== 'stream') this.#open.delete(sending);
    });
    return exchange;
  }

  limitBy(mayHold: (bytes: number) => boolean): void {
    this.#mayHold = mayHold;
    for (const sending of this.#open) sending.limitBy(mayHold);
  }

  abort(): void {
    this.isAborted = true;
    for (const sending of this.#open) sending.abort();
  }
}

interface Answering {
  call: SentCall;
  over: CallPieces;
  pieces: readonly CallPiece[];
  send(piece: CallPiece): Promise<CallExchange>;
  sending: PieceSending;
  writer: ResponseWriterOptions;
}

/** The way of the response that is put together: that of a provider which speaks the caller's format. */
function asAsked(way: SentRequest['way'], { dialect }: CallPieces, kind: CallKind, client: SentCall['client']): SentRequest['way'] {
  return {
    ...way,
    dialect,
    framing: framings.sse,
    provider: { name: way.provider.name },
    identity: kind.identityOf(client, dialect),
    setting: { ...way.setting, forceFormat: false, thinkingToContent: false },
  };
}

function writerOf({ originModel, requestId = '' }: SentCall, now: number): ResponseWriterOptions {
  return { model: originModel, requestId, createdAt: Math.floor(now / 1000), wantsUsage: false, promptEstimate: 0 };
}

type Answer = { kind: 'answer'; body: JsonObject } | Extract<Received, { kind: 'failed' }>;

async function wholeOf(answering: Answering, begun: CallExchange): Promise<Received> {
  const { pieces, over, send } = answering;
  const answers: (Answer | undefined)[] = pieces.map(() => undefined);
  let failed: Extract<Received, { kind: 'failed' }> | undefined;
  const ask = async (index: number): Promise<void> => {
    const piece = pieces[index];
    if (piece === undefined || failed !== undefined) return;
    const answer = await answerTo(answering, piece, index === 0 ? begun : await send(piece));
    answers[index] = answer;
    // Those under way end: their provider works on them and is paid, so that their answers are charged.
    if (answer.kind === 'failed') failed ??= answer;
  };
  // One that fails costs nothing more than itself: the others are asked when the first has its answer.
  await ask(0);
  await inParallel(
    pieces.slice(1).map((_, index) => index + 1),
    atOnce,
    ask,
  );
  const bodies = answers.flatMap((answer) => (answer?.kind === 'answer' ? [answer.body] : []));
  const body = () => Buffer.from(JSON.stringify(over.join(bodies)));
  if (failed === undefined) return { kind: 'whole', status: 200, body: body() };
  const ofAll = { ...failed, failure: withUsageOf(failed.failure, answers) };
  return bodies.length === 0 ? ofAll : { ...ofAll, answered: body() };
}

/** Each of those that failed may be billed. */
function withUsageOf(failed: UpstreamFailure, answers: readonly (Answer | undefined)[]): UpstreamFailure {
  const usages = answers.flatMap((answer) =>
    answer?.kind === 'failed' && answer.failure.usage !== undefined ? [answer.failure.usage] : [],
  );
  return usages.length === 0 ? failed : { ...failed, usage: usages.reduce(sumOfUsages) };
}

async function answerTo({ call, over, writer }: Answering, piece: CallPiece, { received, request }: CallExchange): Promise<Answer> {
  const response = await received;
  if (response.kind === 'failed') return response;
  if (response.kind === 'stream') {
    response.stream.abort();
    return failure(invalidResponse());
  }
  const { way, upstreamModel } = request;
  const input = {
    client: call.client,
    way,
    upstreamModel,
    body: response.body,
    responseFields: {},
    writer: { ...writer, asked: piece.asked },
  };
  const decoded = over.kind.decode(input);
  if (decoded.kind === 'failed') {
    return failure(decoded.error === null ? invalidResponse() : failureInBody(decoded.error, call.channel));
  }
  const body = decoded.kind === 'whole' ? parseObject(decoded.body(null).toString('utf8')) : null;
  return body === null ? failure(invalidResponse()) : { kind: 'answer', body };
}

function failure(of: UpstreamFailure): Extract<Received, { kind: 'failed' }> {
  return { kind: 'failed', status: 200, failure: of, cause: null };
}

async function streamOf(answering: Answering, begun: CallExchange): Promise<Received> {
  const { call, over, pieces, writer, sending, send } = answering;
  const response = await begun.received;
  if (response.kind === 'failed') return response;
  const next = async (index: number): Promise<StreamedPiece | null> => {
    const piece = pieces[index];
    if (piece === undefined) return null;
    const exchange = index === 0 ? begun : await send(piece);
    return { piece, request: exchange.request, response: await exchange.received };
  };
  const stream = new PieceStream({ client: call.client, over, writer, next, abort: () => sending.abort() });
  return { kind: 'stream', status: response.status, stream };
}
