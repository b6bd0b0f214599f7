// Identity path of completions.
import type { DecodeInput, DeepWhole, FailedWhole, ForwardedWhole } from '../../decoded-whole.ts';
import type { IdentityPath } from '../../identity.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { toEvent } from '#server/framing/sse.ts';
import { doneEvent } from '../done-event.ts';
import { writeRequest } from '../identity-request.ts';
import { readWhole } from '../identity-response.ts';
import { ChatIdentityStream } from '../identity-stream.ts';
import { readLong } from '../long-response.ts';

export const completionsIdentity: IdentityPath = {
  writeRequest,
  readWhole: (input) => withEvents(readWhole(input), input),
  *readLong(input) {
    return withEvents(yield* readLong(input), input);
  },
  openStream: (input) => new ChatIdentityStream(input),
};

type Read = ForwardedWhole | DeepWhole | FailedWhole;

function withEvents(read: Read, { body }: DecodeInput): Read {
  return read.kind === 'whole' ? { ...read, events: () => asEvents(body) } : read;
}

/** Stream events have the shape of a response; usage has its own event. */
function asEvents(body: Buffer): Buffer {
  const { usage, choices, ...head } = parseObject(body.toString('utf8')) ?? {};
  const reported = isObject(usage) ? [toEvent(JSON.stringify({ ...head, choices: [], usage }))] : [];
  return Buffer.concat([Buffer.from([toEvent(JSON.stringify({ ...head, choices })), ...reported].join('')), doneEvent]);
}
