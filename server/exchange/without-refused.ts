// Resends a call once without an optional field that the gateway added and the provider rejected. Appears as one
// exchange.
import type { DoubtfulField } from '#server/formats/upstream-dialect.ts';
import type { CallExchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';
import type { PreparedChannel } from './prepared-channel.ts';

interface Doubt {
  channel: Pick<PreparedChannel, 'refusedFields'>;
  /** Optional fields that the provider may not support. */
  doubtful: readonly DoubtfulField[];
  /** Resends the call without these fields. */
  resend: (fields: ReadonlySet<string>) => CallExchange | Promise<CallExchange>;
}

export function withoutRefused(first: CallExchange, { channel, doubtful, resend }: Doubt): CallExchange {
  const { request } = first;
  const sending = new FollowedSending(first.sending);
  const received = first.received.then(async (response) => {
    const refused = doubtful.find((field) => isRefusalOf(response, field, request));
    if (refused === undefined || sending.isAborted) return response;
    const second = await resend(new Set([refused.name]));
    sending.follow(second.sending);
    const reported = await second.received;
    request.dropped = second.request.dropped;
    // Noted only after the retry succeeds: other errors may quote the caller, who must not affect other callers.
    if (isAnswer(reported, request)) channel.refusedFields.note(request.upstreamModel, refused.name);
    return reported;
  });
  return { ...first, sending, received };
}

/** Statuses of rejected requests, which cost nothing. */
const unreadable: ReadonlySet<number> = new Set([400, 403, 422]);
/** Maximum bytes of a body parsed as a refusal. */
const longestRefusal = 64 * 1024;

function isRefusalOf(response: Received, field: DoubtfulField, request: CallExchange['request']): boolean {
  if (response.kind === 'failed') return unreadable.has(response.status) && isAbout(response.failure, field);
  const error = errorIn(response, request);
  return error !== null && unreadable.has(error.status) && isAbout(error, field);
}

function isAbout({ message, param }: { message: string; param: string }, { name, refusal }: DoubtfulField): boolean {
  return message.includes(name) || param.includes(name) || (refusal !== undefined && (refusal.test(message) || refusal.test(param)));
}

function isAnswer(response: Received, request: CallExchange['request']): boolean {
  return response.kind !== 'failed' && errorIn(response, request) === null;
}

/** Some providers report refusals with status 200. */
function errorIn(response: Received, { route }: CallExchange['request']): { status: number; message: string; param: string } | null {
  if (response.kind !== 'whole' || response.body.length > longestRefusal) return null;
  return route.dialect.readError(response.body.toString('utf8'), route.provider);
}
