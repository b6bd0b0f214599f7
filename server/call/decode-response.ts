// Decodes a complete response for the caller: a short one at once, a long one in steps, in turn with other long work.
import type { TokenUsage } from '#shared/token-usage.ts';
import type { DecodedWhole } from '#server/formats/decoded-whole.ts';
import { isLong } from '#server/formats/decode-long.ts';
import { inSteps } from '#server/http/in-steps.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import { type RunningCall, writerOptions } from '#server/call/running-call.ts';
import { responseReading, restoredResponse } from '#server/call/stages.ts';
import { readLong, type ReadResponse, readWhole } from '#server/exchange/read-response.ts';

export function decodeResponse(
  call: RunningCall,
  { channel, request }: SentAttempt,
  reported: Buffer,
): ReadResponse | Promise<ReadResponse> {
  const body = restoredResponse(call.stages, reported);
  const { endpoint, responseFields, services } = call;
  const { kind, dialect: client } = endpoint;
  const { route, upstreamModel } = request;
  const input = {
    client,
    kind,
    channel,
    route,
    upstreamModel,
    body,
    responseFields,
    writer: writerOptions(call),
    ...responseReading(call.stages, channel),
  };
  return isLong(body) ? inSteps(services.context.bodies, ownerOf(call), readLong(input)) : readWhole(input);
}

/** Runs work on a response, in turn with other long work if the response is long. */
export function inTurnIfLong(call: RunningCall, body: Buffer, make: () => Buffer): Buffer | Promise<Buffer> {
  return isLong(body) ? call.services.context.bodies.inTurn(ownerOf(call), make) : make();
}

/** Writes the client's body of a decoded response, in steps if it is long. */
export function writeDecoded(call: RunningCall, body: Buffer, decoded: DecodedWhole, usage: TokenUsage): Buffer | Promise<Buffer> {
  if (!isLong(body)) return decoded.body(usage);
  const { longBody } = decoded;
  if (longBody === undefined) return inTurnIfLong(call, body, () => decoded.body(usage));
  return inSteps(call.services.context.bodies, ownerOf(call), longBody(usage));
}

function ownerOf({ admission }: RunningCall): string {
  return `user:${admission.user.id}`;
}
