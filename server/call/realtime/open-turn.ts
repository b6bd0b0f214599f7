// Opens turns of a session. Each is a call, opened before it is known when the turn begins.
import { AppError } from '#shared/errors.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { PromptSize } from '#server/money/quote.ts';
import { callAddress } from '#server/formats/call-address.ts';
import { messages } from '#server/framing/event-encoding.ts';
import type { Connection } from '#server/http/connection.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { openBody } from '#server/call/admission/read-content.ts';
import { reserveQuota } from '#server/call/admission/reserve-call.ts';
import { openCall } from '#server/call/admission/open-call.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Turn } from '#server/call/turn.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

/** Caller of a turn: the request with which the session began. */
export interface TurnOwner {
  readonly services: RelayServices;
  readonly request: Request;
  readonly connection: Connection;
}

/**
 * Opens a turn: reserves for it. It counts against no rate limit until it begins.
 * @throws {AppError} the refusal of `openCall`
 */
export async function openTurn(
  { services, request, connection }: TurnOwner,
  endpoint: RelayEndpoint,
  body: RelayBody,
): Promise<RunningCall> {
  const turn: Turn = {
    endpoint,
    request,
    connection,
    address: callAddress(request, { model: undefined, verb: undefined }),
    envelope: messages,
    isAhead: true,
    readContent: (userId) => openBody(services.context.bodies, { body, userId, names: endpoint.names }),
    follow() {},
  };
  const opened = await openCall(services, turn);
  if ('refused' in opened) throw opened.refused.error;
  const { call } = opened;
  // The body is not sent, so its memory is released.
  call.content.release();
  call.buffer?.ended();
  return call;
}

/**
 * Opens a turn that has begun although nothing could be reserved for it. Its reservation is empty; its charge takes what the
 * account has when it is settled. Returns null if an earlier charge above its reservation is not settled.
 * @param like call of the same account
 * @throws {DatabaseUnavailable}
 */
export async function openLateTurn(like: RunningCall): Promise<RunningCall | null> {
  const { context } = like.services;
  const reservation = await emptyReservation(like);
  if (reservation === null) return null;
  return {
    ...like,
    requestId: newRequestId(context),
    startedAt: performance.now(),
    createdAt: Math.floor(context.now() / 1000),
    reserved: { ...like.reserved, reservation, outputBound: undefined },
    attempts: [],
    stop: { reason: undefined, end: undefined },
  };
}

async function emptyReservation({ services, admission, model }: RunningCall): Promise<Reservation | null> {
  try {
    return await reserveQuota(services, admission, { model, amount: 0, least: 0 });
  } catch (failure) {
    if (failure instanceof AppError) return null;
    throw failure;
  }
}

/** Request of a turn, for its log row. */
export function sentBy(call: RunningCall, route: ChannelRoute): SentRequest {
  return {
    route,
    upstreamModel: route.upstreamModel,
    reasoningEffort: undefined,
    sentLimit: call.reserved.outputBound,
    hostedLeast: undefined,
    hostedIfCut: undefined,
    dropped: [],
  };
}

/**
 * Begins a turn.
 * @throws {AppError} of the rate limit
 */
export async function beginTurn(call: RunningCall): Promise<void> {
  call.startedAt = performance.now();
  call.createdAt = Math.floor(call.services.context.now() / 1000);
  for (const stage of call.stages) if (stage.begun !== undefined) await stage.begun(call);
}

/** Minimum output tokens for which a response is requested. */
const shortest = 16;
/** Tokens reserved in addition, so that not every message needs another reservation. */
const ahead = 400;
/** Turns whose account has no more, so that another reservation would wait in vain. */
const exhausted = new WeakSet<RunningCall>();

/**
 * Makes the reservation of a turn cover a larger prompt: extends it, or shortens the response (`outputBound`).
 * @throws {AppError} if neither suffices
 */
export async function reserveGrownPrompt(call: RunningCall, prompt: PromptSize): Promise<void> {
  const { quotes } = call.services.context;
  const { quoted, reservation, outputMost } = call.reserved;
  const missing = (size: PromptSize) => quotes.reserveFor(quoted, size, outputMost) - reservation.amount;
  if (missing(prompt) <= 0) return;
  const larger = { ...prompt, tokens: prompt.tokens + ahead, audio: prompt.audio + ahead };
  if (!exhausted.has(call) && (await extend(call, [missing(larger), missing(prompt)]))) return;
  const payable = (size: PromptSize) => quotes.affordable(quoted, size, { has: reservation.amount, most: outputMost });
  const paid = [payable(larger), payable(prompt)].find((tokens) => tokens >= shortest);
  if (paid === undefined) throw new AppError('overdraft_stopped');
  call.reserved.outputMost = paid;
  call.reserved.outputBound = paid;
}

/** Extends the reservation by the first of the amounts that the account has. */
async function extend(call: RunningCall, sums: readonly number[]): Promise<boolean> {
  const { services } = call;
  const { reservation } = call.reserved;
  for (const sum of sums) if (await services.context.ledger.extend(reservation, sum)) return true;
  exhausted.add(call);
  return false;
}
