// A whole response for the caller. A short one is decoded at once; a long one in turn with others, a few milliseconds at a time.
import { isLong } from '#server/dialects/decode-long.ts';
import { inSteps } from '#server/http/in-steps.ts';
import type { SentAttempt } from '#server/relay/call-attempt.ts';
import { tellObjectOf, writerOptions } from '#server/relay/running-call.ts';
import type { RunningCall } from '#server/relay/running-call.ts';
import { readLong, readWhole } from '#server/upstream/read-response.ts';
import type { ReadResponse } from '#server/upstream/read-response.ts';

export function decodeResponse(call: RunningCall, { channel, request }: SentAttempt, body: Buffer): ReadResponse | Promise<ReadResponse> {
  const { endpoint, responseFields, services } = call;
  const { kind, dialect: client } = endpoint;
  const { way, upstreamModel } = request;
  const input = {
    client,
    kind,
    channel,
    way,
    upstreamModel,
    body,
    responseFields,
    writer: writerOptions(call),
    tellObject: tellObjectOf(call, channel),
  };
  return isLong(body) ? inSteps(services.context.bodies, ownerOf(call), readLong(input)) : readWhole(input);
}

/** What is made of that response. */
export function inTurnIfLong(call: RunningCall, body: Buffer, make: () => Buffer): Buffer | Promise<Buffer> {
  return isLong(body) ? call.services.context.bodies.inTurn(ownerOf(call), make) : make();
}

/** Of what is about to leave for the client. */
export function holdsBlockedWords(call: RunningCall, body: Buffer): boolean | Promise<boolean> {
  const words = call.endpoint.kind.isWritten ? call.services.words.output() : null;
  return words === null ? false : inSteps(call.services.context.bodies, ownerOf(call), words.inBody(body));
}

function ownerOf({ admission }: RunningCall): string {
  return `user:${admission.user.id}`;
}
