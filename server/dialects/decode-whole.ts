// A provider's whole response as the client wants it: passed on where both speak the same format, else translated.
import { clientDialects, upstreamDialects } from './registry.ts';
import type { ClientDialect, ResponseWriterOptions } from './client-dialect.ts';
import { textOfPart } from './parts.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { ResponsePart, UpstreamErrorObject } from './parts.ts';
import { errorInResponse } from './stream-pipe.ts';
import { ToldUsage } from './token-usage.ts';
import { errorInAnswer, fixAnswer } from '#server/dialects/openai-chat/identity-response.ts';
import { isInvalidUsage, readTokenUsage } from '#server/dialects/openai-chat/token-usage.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';
import type { Capability } from '#server/upstream/providers/spec.ts';
import { failureInBody, invalidAnswer } from '#server/upstream/upstream-error.ts';
import type { UpstreamFailure } from '#server/upstream/upstream-error.ts';
import { textOf } from '#server/dialects/openai-chat/usage-meter.ts';

export interface DecodeInput {
  client: ClientDialect | null;
  capability: Capability;
  channel: PreparedChannel;
  upstreamModel: string;
  /** The provider's body. */
  text: string;
  /** The fields of an embeddings request that say how its answer is written. */
  answerFields: Readonly<Record<string, unknown>>;
  writer: ResponseWriterOptions;
}

export interface DecodedWhole {
  kind: 'whole';
  /** Null: none was told. Numbers that were not told are 0. */
  usage: TokenUsage | null;
  /** What the model wrote, for counting. */
  written(): string;
  /** The client's body; a translated one tells this usage. */
  text(usage: TokenUsage | null): string;
  /** The same response as a stream in the provider's own format. */
  events(): Buffer;
}

export function decodeWhole(input: DecodeInput): DecodedWhole | { kind: 'failed'; failure: UpstreamFailure } {
  const { client, channel } = input;
  const dialect = channel.provider?.dialect ?? 'openai-chat';
  if (dialect === 'openai-chat' && (client === null || client.name === 'openai-chat')) return decodeSame(input);
  const upstream = upstreamDialects[dialect];
  const body = parseObject(input.text);
  if (body === null) return invalid();
  const failure = dialect === 'openai-chat' ? errorInAnswer(input.text, channel) : errorOf(upstream.readError(body), channel);
  if (failure !== null) return { kind: 'failed', failure };
  const parts = upstream.readWhole(body);
  if (parts === null || upstream.isInvalidUsage(body['usage'])) return invalid();
  const tokens = usageIn(parts);
  return {
    kind: 'whole',
    usage: tokens,
    written: () => parts.map(textOfPart).join(''),
    text: (counted) =>
      client?.name === dialect || client === null ? input.text : JSON.stringify(client.writeWhole(parts, counted ?? tokens, input.writer)),
    events: () => eventsOf(parts, tokens, { dialect, writer: input.writer }),
  };
}

function decodeSame({ capability, channel, answerFields, upstreamModel, text, writer }: DecodeInput): ReturnType<typeof decodeWhole> {
  const failure = errorInAnswer(text, channel);
  if (failure !== null) return { kind: 'failed', failure };
  const fixed = fixAnswer({ capability, channel, requestBody: answerFields, upstreamModel, text });
  const body = parseObject(fixed);
  if (body === null || !Array.isArray(capability === 'embeddings' ? body['data'] : body['choices'])) return invalid();
  if (isInvalidUsage(body['usage'])) return invalid();
  return {
    kind: 'whole',
    usage: readTokenUsage(body['usage'], channel.provider?.answers),
    written: () => (capability === 'chat' ? textOf(fixed) : ''),
    text: () => fixed,
    events: () => {
      const parts = upstreamDialects['openai-chat'].readWhole(body) ?? [];
      return eventsOf(parts, usageIn(parts), { dialect: 'openai-chat', writer });
    },
  };
}

function invalid(): { kind: 'failed'; failure: UpstreamFailure } {
  return { kind: 'failed', failure: invalidAnswer() };
}

function errorOf(error: UpstreamErrorObject | null, channel: PreparedChannel): UpstreamFailure | null {
  return error === null ? null : failureInBody(errorInResponse(error), channel);
}

function usageIn(parts: readonly ResponsePart[]): TokenUsage | null {
  const told = new ToldUsage();
  for (const part of parts) told.note(part);
  return told.report(false).usage;
}

function eventsOf(
  parts: readonly ResponsePart[],
  usage: TokenUsage | null,
  { dialect, writer }: { dialect: keyof typeof clientDialects; writer: ResponseWriterOptions },
): Buffer {
  const stream = clientDialects[dialect].createStreamWriter({ ...writer, wantsUsage: true });
  return Buffer.from(parts.map((part) => stream.write(part)).join('') + stream.end(usage));
}
