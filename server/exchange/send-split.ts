// Sends a call in pieces, each a call of another kind, and joins the responses in the caller's format. Whole responses
// are requested a few at a time; streams follow each other.
import { writeJson } from '#server/framing/long-json.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { CallKind, CallPiece, CallPieces, PieceEndings } from '#server/kinds/call-kind.ts';
import type { ResponseWriterOptions } from '#server/formats/client-dialect.ts';
import { isLong } from '#server/formats/decode-long.ts';
import { framings } from '#server/framing/registry.ts';
import { type JsonObject, parseObject } from '#server/framing/loose-json.ts';
import { inParallel } from '#server/queues/in-parallel.ts';
import { stepByStep } from '#server/queues/step-by-step.ts';
import type { UpstreamCall } from './build-request.ts';
import type { CallExchange, ExchangeContext, Received, SendOptions, SentRequest } from './exchange.ts';
import { SplitStream, type StreamedPart } from './split-stream.ts';
import type { ResponseRoom, SendLimits } from './send.ts';
import { decodeTokens } from './token-estimate.ts';
import { failureInBody, invalidResponse, type UpstreamFailure } from './upstream-error.ts';

type SentCall = UpstreamCall;
type SendCall = (context: ExchangeContext, call: SentCall, options: SendOptions) => CallExchange | Promise<CallExchange>;

/** Default number of pieces in flight. */
const usuallyAtOnce = 4;

interface Pieces {
  context: ExchangeContext;
  call: SentCall;
  over: CallPieces;
}

/** @throws {AppError} as `sendCall`, before anything is sent */
export async function sendSplit({ context, call, over }: Pieces, options: SendOptions, sendCall: SendCall): Promise<CallExchange> {
  const pieces = await over.split(call.body, (lists) => decodeTokens(lists, call.originModel));
  const [first] = pieces;
  if (first === undefined) throw new Error('A call has no pieces');
  const sending = new PieceSending();
  const { limits, isWanted = () => true } = options;
  const room = limits.room === undefined ? undefined : new SharedRoom(limits.room);
  const progress = { sent: 0, all: pieces.length };
  const received = { bytes: 0 };
  const route = call.route === null ? null : { ...call.route, isInPieces: false };
  const send = async (piece: CallPiece): Promise<CallExchange> => {
    const rawText = piece.rawText ?? writeJson(piece.body, call.longTexts);
    const requested = { ...call, kind: over.kind, route, body: piece.body, rawText };
    const isFirst = progress.sent === 0;
    if (!sending.isAborted && isWanted()) progress.sent += 1;
    return sending.add(
      await sendCall(context, requested, {
        limits: limitsOfPiece(limits, mostBytes({ over, most: limits.maxBytes - received.bytes, pieces: pieces.length, isFirst }), room),
        isWanted: () => !sending.isAborted && isWanted(),
      }),
    );
  };
  const begun = await send(first);
  const writer = writerOf(call, context.now());
  const answer: Answering = { call, over, pieces, send, sending, writer, received };
  const response = call.isStream && over.stream !== null ? streamOf(answer, over.stream, begun) : wholeOf(answer, begun);
  return {
    sending,
    received: response,
    request: { ...begun.request, pieces: progress, route: asRequested(begun.request.route, over, call.kind, call.client) },
  };
}

/**
 * Byte limit of a piece: all together stay within the call's limit. Pieces joined as bytes leave unused bytes to later
 * ones.
 */
function mostBytes({ over, most, pieces, isFirst }: { over: CallPieces; most: number; pieces: number; isFirst: boolean }): number {
  const sharers = over.join.of === 'objects' ? pieces : isFirst ? 1 : Math.min(over.atOnce ?? usuallyAtOnce, pieces - 1);
  return Math.max(1, Math.floor(most / sharers));
}

function limitsOfPiece({ responseMs }: SendLimits, maxBytes: number, room: SharedRoom | undefined): SendLimits {
  const limits = { responseMs, maxBytes };
  return room === undefined ? limits : { ...limits, room: room.ofPiece() };
}

/** Shares the capacity of one response between its pieces. */
class SharedRoom {
  readonly #room: ResponseRoom;
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(room: ResponseRoom) {
    this.#room = room;
  }

  ofPiece(): ResponseRoom {
    let counted = 0;
    return {
      grow: (bytes, resume) => {
        this.#bytes += bytes - counted;
        counted = bytes;
        const fits = this.#room.grow(this.#bytes, () => this.#resume());
        if (fits) this.#resume();
        else this.#waiting.add(resume);
        return fits;
      },
    };
  }

  #resume(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }
}

/** Sending of all pieces; appears as one. */
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
      // A stream counts as open until its reader takes it.
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
  /** Bytes received, for pieces joined as bytes. */
  received: { bytes: number };
}

/** Route of the joined response: that of a provider in the caller's format. */
function asRequested(
  route: SentRequest['route'],
  { dialect }: CallPieces,
  kind: CallKind,
  client: SentCall['client'],
): SentRequest['route'] {
  return {
    ...route,
    dialect,
    framing: framings.sse,
    provider: { name: route.provider.name },
    identity: kind.identityOf(client, dialect),
    setting: { ...route.setting, forceFormat: false, thinkingToContent: false },
  };
}

function writerOf({ originModel, requestId = '' }: SentCall, now: number): ResponseWriterOptions {
  return { model: originModel, requestId, createdAt: Math.floor(now / 1000), wantsUsage: false, promptEstimate: 0 };
}

type Answer = { kind: 'answer'; body: Buffer; reported: JsonObject } | Extract<Received, { kind: 'failed' }>;

async function wholeOf(answering: Answering, begun: CallExchange): Promise<Received> {
  const { pieces, over, send } = answering;
  const answers: (Answer | undefined)[] = pieces.map(() => undefined);
  let failed: Extract<Received, { kind: 'failed' }> | undefined;
  const sendPiece = async (index: number): Promise<void> => {
    const piece = pieces[index];
    if (piece === undefined || failed !== undefined) return;
    const answer = await answerTo(answering, piece, index === 0 ? begun : await send(piece));
    answers[index] = answer;
    // Pieces in flight finish: their provider bills them, so they are charged.
    if (answer.kind === 'failed') failed ??= answer;
  };
  // The first piece is sent alone, so that an early failure costs one piece.
  await sendPiece(0);
  await inParallel(
    pieces.slice(1).map((_, index) => index + 1),
    over.atOnce ?? usuallyAtOnce,
    sendPiece,
  );
  const answered = answers.flatMap((answer) => (answer?.kind === 'answer' ? [answer] : []));
  if (failed === undefined) return { kind: 'whole', status: 200, body: await joined(over, answered) };
  const ofAll = { ...failed, failure: withUsageOf(failed.failure, answers) };
  return answered.length === 0 ? ofAll : { ...ofAll, answered: await joined(over, answered) };
}

async function joined({ join }: CallPieces, answers: readonly Extract<Answer, { kind: 'answer' }>[]): Promise<Buffer> {
  if (join.of === 'bytes') return stepByStep(join.join(answers.map(({ body }) => body)));
  return Buffer.from(JSON.stringify(join.join(answers.map(({ reported }) => reported))));
}

/** Adds the usage of all failed pieces, which may be billed. */
function withUsageOf(failed: UpstreamFailure, answers: readonly (Answer | undefined)[]): UpstreamFailure {
  const usages = answers.flatMap((answer) =>
    answer?.kind === 'failed' && answer.failure.usage !== undefined ? [answer.failure.usage] : [],
  );
  return usages.length === 0 ? failed : { ...failed, usage: usages.reduce(sumOfUsages) };
}

async function answerTo(
  { call, over, writer, received: sum }: Answering,
  piece: CallPiece,
  { received, request }: CallExchange,
): Promise<Answer> {
  const response = await received;
  if (response.kind === 'failed') return response;
  if (response.kind === 'stream') {
    response.stream.abort();
    return failure(invalidResponse());
  }
  if (over.join.of === 'bytes') sum.bytes += response.body.length;
  const { route, upstreamModel } = request;
  const input = {
    client: call.client,
    route,
    upstreamModel,
    body: response.body,
    responseFields: {},
    writer: { ...writer, requested: piece.requested },
  };
  const decoded = isLong(response.body) ? await stepByStep(over.kind.decodeLong(input)) : over.kind.decode(input);
  if (decoded.kind === 'failed') {
    return failure(decoded.error === null ? invalidResponse() : failureInBody(decoded.error, call.channel));
  }
  if (decoded.kind !== 'whole') return failure(invalidResponse());
  const body = decoded.body(null);
  const reported = over.join.of === 'bytes' ? {} : parseObject(body.toString('utf8'));
  return reported === null ? failure(invalidResponse()) : { kind: 'answer', body, reported };
}

function failure(of: UpstreamFailure): Extract<Received, { kind: 'failed' }> {
  return { kind: 'failed', status: 200, failure: of, cause: null };
}

async function streamOf(answering: Answering, endings: PieceEndings, begun: CallExchange): Promise<Received> {
  const { call, over, pieces, writer, sending, send } = answering;
  const response = await begun.received;
  if (response.kind === 'failed') return response;
  const next = async (index: number): Promise<StreamedPart | null> => {
    const piece = pieces[index];
    if (piece === undefined) return null;
    const exchange = index === 0 ? begun : await send(piece);
    return { piece, request: exchange.request, response: await exchange.received };
  };
  const stream = new SplitStream({ client: call.client, over, endings, writer, next, abort: () => sending.abort() });
  return { kind: 'stream', status: response.status, stream };
}
