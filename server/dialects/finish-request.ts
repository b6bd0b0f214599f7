// The last steps of every request that is not passed on as text, whatever format it came in.
import type { RequestPlan } from './dialect-channel.ts';
import type { EncodedRequest, EncodeInput } from './encode-input.ts';
import { keepLimits, limitOf } from './token-limits.ts';
import type { WrittenRequest } from './upstream-dialect.ts';

type Body = Readonly<Record<string, unknown>>;

/** @param written in the provider's format */
export function finishRequest({ body, dropped }: WrittenRequest, input: EncodeInput, plan: RequestPlan): EncodedRequest {
  const { dialect } = input.channel;
  const adapted = dialect.adapt(body, input, plan);
  const bounded = keepLimits({ ...adapted.body, ...overrideOf(input) }, input, dialect.limitFields);
  const finished = dialect.mend?.(bounded, input) ?? bounded;
  return { ...factsOf(finished, input, plan), body: Buffer.from(JSON.stringify(finished)), dropped: [...dropped, ...adapted.dropped] };
}

/** What is known of a request beside its bytes. */
export function factsOf(body: Body, input: EncodeInput, plan: RequestPlan): Omit<EncodedRequest, 'body' | 'dropped'> {
  const { dialect } = input.channel;
  return {
    headers: headersOf(input),
    upstreamModel: typeof body['model'] === 'string' ? body['model'] : plan.upstreamModel,
    reasoningEffort: dialect.effortOf(body),
    sentLimit: limitOf(body, dialect.limitFields),
  };
}

/** Whether it streams is the client's to say: it could not read anything else. */
function overrideOf({ channel, capability }: EncodeInput): Body {
  // What is added to a generation is unknown where a prompt is counted.
  if (capability === 'count_tokens') return {};
  const { stream: _stream, ...fields } = channel.paramOverride ?? {};
  return fields;
}

function headersOf(input: EncodeInput): Readonly<Record<string, string>> | null {
  const { client, channel, clientHeaders } = input;
  const own = channel.dialect.headers?.(input);
  // Headers of one format mean nothing to a provider of another one.
  const forwarded = client.name === channel.dialect.name && client.forwardedHeaders.length > 0 ? clientHeaders : undefined;
  return own === undefined && forwarded === undefined ? null : { ...forwarded, ...own };
}
