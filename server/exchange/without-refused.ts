// A call that asks for more than its caller did, and is refused for that, is sent once more without it. For whoever waits it is one exchange.
import type { DoubtfulField } from '#server/formats/upstream-dialect.ts';
import type { CallExchange, Received } from './exchange.ts';
import { FollowedSending } from './followed-sending.ts';
import type { PreparedChannel } from './prepared-channel.ts';

interface Doubt {
  channel: Pick<PreparedChannel, 'refusedFields'>;
  /** Fields that its provider may not know. */
  doubtful: readonly DoubtfulField[];
  /** The same call without them. */
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
    // A refusal of something else may quote its caller, who is to change nothing for others.
    if (isAnswer(reported, request)) channel.refusedFields.note(request.upstreamModel, refused.name);
    return reported;
  });
  return { ...first, sending, received };
}

/** Of requests that cannot be read, or whose sender may not have what they ask for: they cost nothing. */
const unreadable: ReadonlySet<number> = new Set([400, 403, 422]);
/** Bytes of a refusal that are looked at. */
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

/** Some tell their refusals with status 200. */
function errorIn(response: Received, { route }: CallExchange['request']): { status: number; message: string; param: string } | null {
  if (response.kind !== 'whole' || response.body.length > longestRefusal) return null;
  return route.dialect.readError(response.body.toString('utf8'), route.provider);
}
