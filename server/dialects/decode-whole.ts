// A provider's whole response as the client wants it: passed on where both speak the same format, else translated.
import type { TokenUsage } from '#shared/token-usage.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import type { ResponseWriterOptions } from './client-dialect.ts';
import type { DecodedWhole, DecodeInput, FailedWhole } from './decoded-whole.ts';
import { textOfPart } from './parts.ts';
import type { ResponsePart } from './parts.ts';
import { ToldUsage } from './token-usage.ts';
import type { UpstreamDialect } from './upstream-dialect.ts';

export function decodeWhole(input: DecodeInput): DecodedWhole | FailedWhole {
  const { client, channel, writer } = input;
  if (client.name === channel.dialect.name) return channel.dialect.identity.readWhole(input);
  return readByParts(input, (parts, usage) => Buffer.from(JSON.stringify(client.writeWhole(parts, usage, writer))));
}

/** @param write the client's body */
export function readByParts(
  { channel, body: bytes, writer }: DecodeInput,
  write: (parts: readonly ResponsePart[], usage: TokenUsage | null) => Buffer,
): DecodedWhole | FailedWhole {
  const { dialect, provider } = channel;
  const text = bytes.toString('utf8');
  const error = dialect.readError(text, provider);
  const body = error === null ? parseObject(text) : null;
  if (body === null) return { kind: 'failed', error };
  const parts = dialect.readWhole(body, provider);
  if (parts === null || dialect.isInvalidUsage(body['usage']) || parts.some(hasDeepArguments)) return { kind: 'failed', error: null };
  const usage = usageIn(parts);
  return {
    kind: 'whole',
    usage,
    isEmpty: false,
    written: () => parts.map(textOfPart).join(''),
    body: (counted) => write(parts, counted ?? usage),
    events: () => eventsOf(parts, dialect, writer),
  };
}

/** Arguments are JSON in a text, and parsed where the client's format has an object. */
function hasDeepArguments(part: ResponsePart): boolean {
  return part.type === 'tool_arguments' && isTooDeep(part.text);
}

/** A whole response as a stream in the provider's format. */
export function eventsOf(parts: readonly ResponsePart[], dialect: UpstreamDialect, writer: ResponseWriterOptions): Buffer {
  const stream = dialect.createStreamWriter({ ...writer, wantsUsage: true });
  return Buffer.from(parts.map((part) => stream.write(part)).join('') + stream.end(usageIn(parts)));
}

function usageIn(parts: readonly ResponsePart[]): TokenUsage | null {
  const told = new ToldUsage();
  for (const part of parts) told.note(part);
  return told.report(false).usage;
}
