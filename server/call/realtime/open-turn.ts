// A turn of a session is a call like any other, opened before anybody knows when it will begin.
import { AppError } from '#shared/errors.ts';
import type { PromptSize } from '#server/money/quote.ts';
import { callAddress } from '#server/formats/call-address.ts';
import { messages } from '#server/framing/event-encoding.ts';
import type { Connection } from '#server/http/connection.ts';
import { newRequestId } from '#server/http/request-id.ts';
import { openBody } from '#server/call/admission/read-content.ts';
import { openCall } from '#server/call/admission/open-call.ts';
import type { RelayBody, RelayEndpoint } from '#server/call/endpoints.ts';
import type { RunningCall } from '#server/call/running-call.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Turn } from '#server/call/turn.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';

/** Caller: the request that a session began with. */
export interface TurnOwner {
  readonly services: RelayServices;
  readonly request: Request;
  readonly connection: Connection;
}

/** Its money is reserved; it counts in no rate limit until it begins. @throws {AppError} as `openCall` refuses it */
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
  // The body is not sent.
  call.content.release();
  call.buffer?.ended();
  return call;
}

/**
 * One that has begun although nothing could be reserved for it: it holds nothing, and is charged with what there is when it is settled.
 * @param like whose account it is. Null: what the account owes already is not settled. @throws {DatabaseUnavailable}
 */
export async function openLateTurn(like: RunningCall): Promise<RunningCall | null> {
  const { context } = like.services;
  const { user, token } = like.admission;
  const limited = token === null ? null : { id: token.id, isLimited: !token.unlimited_quota };
  const reserved = await context.ledger.reserve({ userId: user.id, token: limited, amount: 0 });
  if ('refusal' in reserved) return null;
  const { reservation } = reserved;
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

/** What its row says of the request. */
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

/** It begins now. @throws {AppError} of the rate limit */
export async function beginTurn(call: RunningCall): Promise<void> {
  call.startedAt = performance.now();
  call.createdAt = Math.floor(call.services.context.now() / 1000);
  for (const stage of call.stages) if (stage.begun !== undefined) await stage.begun(call);
}

/** Fewest tokens that are worth a response. */
const shortest = 16;
/** Tokens that are reserved ahead, so that not every message needs a reservation. */
const ahead = 400;
/** Turns whose account has no more: another reservation would only wait again. */
const exhausted = new WeakSet<RunningCall>();

/**
 * The reservation of a turn pays for a larger prompt: it grows, or the response becomes shorter (`outputBound`).
 * @throws {AppError} where it does not pay for that either
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

/** By the first of these sums that the account has. */
async function extend(call: RunningCall, sums: readonly number[]): Promise<boolean> {
  const { services } = call;
  const { reservation } = call.reserved;
  for (const sum of sums) if (await services.context.ledger.extend(reservation, sum)) return true;
  exhausted.add(call);
  return false;
}
