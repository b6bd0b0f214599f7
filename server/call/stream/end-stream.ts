// Ends a stream, for every reason: determines the usage, settles the call, then sends the client's last event.
import type { StreamPipe } from '#server/formats/stream-pipe.ts';
import { usageOfResponse, usageOfPrompt } from '#server/call/settlement/call-usage.ts';
import { settleCall } from '#server/call/settlement/settle-call.ts';
import { countedUsage, type MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import { type EndReason, endRules } from '#server/call/call-end.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import { reportEnd } from '#server/call/relay-failure.ts';
import { noteAnswered } from '#server/call/routing/note-attempt.ts';
import { releaseCall, type RunningCall } from '#server/call/running-call.ts';
import type { ClientStream } from '#server/call/stream/client-stream.ts';
import type { UpstreamReader } from '#server/call/stream/upstream-reader.ts';
import type { Counting } from '#server/exchange/token-estimate.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';

interface EndedStream {
  call: RunningCall;
  client: ClientStream;
  attempt: SentAttempt;
  pipe: StreamPipe;
  reader: UpstreamReader;
  counting: Counting;
}

/** Rejects if the call could not be settled; the client's connection is then closed without an end. */
export async function endStream(stream: EndedStream, ended: EndReason, failure?: UpstreamFailure): Promise<void> {
  const { call, client, pipe, reader } = stream;
  if (endRules[ended].isByCaller !== true) pipe.dropUnfinished?.();
  try {
    const { usage, isInvalid } = await usageOfStream(stream, ended, failure);
    const reason = ended === 'completed' && isInvalid ? 'invalid_usage' : ended;
    const stored = reason === 'completed' && client.storesEnding ? await endingOf(stream, usage) : null;
    if (stored !== null) await client.store(stored);
    await book(stream, reason, { usage, failure });
    if (reason === 'completed') client.end(stored ?? (await endingOf(stream, usage)));
    else client.fail(reportEnd(call, { reason, failure }).error);
  } catch (fault) {
    client.cut();
    releaseCall(call);
    throw fault;
  } finally {
    pipe.close();
    call.conversation?.close();
    if (ended === 'completed') reader.hangUpSoon();
  }
}

async function endingOf({ call, pipe }: EndedStream, usage: MeteredUsage | null): Promise<Buffer> {
  const ending = pipe.ending(usage);
  return call.conversation === null ? ending : call.conversation.storeEnding(ending);
}

function book(
  { call, attempt, pipe }: EndedStream,
  reason: EndReason,
  { usage, failure }: { usage: MeteredUsage | null; failure: UpstreamFailure | undefined },
): Promise<void> {
  const { channel, request, record } = attempt;
  noteAnswered(call, attempt, reason, failure);
  // A provider that reports a failure bills the usage that it reported. A response that the gateway refuses to forward is billed
  // in full.
  const isCut = !pipe.hasFinished() && (endRules[reason].isCut === true || failure?.own !== undefined);
  const end = { reason, channel, request, usage, firstByteMs: record.first_byte_ms, isCut };
  return settleCall(call, failure === undefined ? end : { ...end, failure });
}

interface StreamUsage {
  /** Usage; null if nothing arrived. */
  usage: MeteredUsage | null;
  /** Whether the upstream reported an implausible usage. */
  isInvalid: boolean;
}

/** Determines the usage; if it cannot be read, estimates it. */
async function usageOfStream(stream: EndedStream, ended: EndReason, failure: UpstreamFailure | undefined): Promise<StreamUsage> {
  const { call, pipe } = stream;
  const found = await readUsage(stream, failure).catch((cause: unknown) => {
    call.services.context.log.error({ requestId: call.requestId, err: cause }, 'the usage of a stream could not be read and is estimated');
    return { usage: pipe.bytes === 0 ? null : countedUsage(call.reserved.prompt.tokens, pipe.roughTokens(), true), isInvalid: false };
  });
  if (found.usage !== null || ended !== 'client_disconnected') return found;
  // Nothing arrived, but the upstream had received the request.
  return { ...found, usage: await usageOfPrompt(call, stream.attempt.request) };
}

/** Returns the reported usage if plausible, else the counted one. */
async function readUsage({ call, pipe, counting, attempt }: EndedStream, failure: UpstreamFailure | undefined): Promise<StreamUsage> {
  const { usage, isInvalid, hasTextAfter, hosted, summaries, advice, units, isNothing = false, unknownEnding } = pipe.reportedUsage();
  call.services.settlement.unknownEndings.note(attempt, unknownEnding);
  // The usage may be reported with the error only.
  const reported = usage ?? failure?.usage ?? null;
  if (reported === null && (pipe.bytes === 0 || isNothing)) return { usage: null, isInvalid };
  const metered = await usageOfResponse(call, {
    reported,
    hosted,
    summaries,
    advice,
    units,
    hasTextAfter,
    countWritten: () => pipe.countTokens(),
    counting,
  });
  return { usage: metered, isInvalid };
}
