// Decodes a provider's complete response for the client: forwarded if both use the same format, otherwise translated.
import type { TokenUsage } from '#shared/token-usage.ts';
import { isTooDeep } from '#server/framing/json-depth.ts';
import { type JsonOutline, outlineAtOnce } from '#server/framing/json-outline.ts';
import { isObject, type JsonObject, parseObject, parseShallow } from '#server/framing/loose-json.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import { readLongJson } from '#server/framing/read-long-json.ts';
import { PartBudget } from '#server/framing/part-budget.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole, TranslatedWhole, WholeResponse } from './decoded-whole.ts';
import { type ResponsePart, textOfPart } from './parts.ts';
import { noteSignature } from './signature-memory.ts';
import { errorInResponse } from './stream-pipe.ts';
import { UsageSoFar } from './token-usage.ts';

export function decodeWhole(input: DecodeInput): DecodedWhole | DeepWhole | FailedWhole {
  const { client, route, writer } = input;
  if (route.identity !== null) return route.identity.readWhole(input);
  return readByParts(input, {
    body: (parts, usage) => Buffer.from(JSON.stringify(client.writeWhole(parts, usage, writer))),
    stream: translated,
  });
}

/** Translates a long response in steps. */
export function* translateLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole> {
  const { client, route, body: bytes, writer } = input;
  const long = yield* readLongJson(bytes);
  if (long === null || isTooDeep(long.json)) return decodeWhole(input);
  yield* long.texts.settle();
  const object = parseShallow(long.json);
  yield;
  const body = object === null ? null : long.texts.fill(object);
  if (!isObject(body)) return { kind: 'failed', error: null };
  // Errors are short; long texts are cut before the search.
  const error = route.dialect.readError(JSON.stringify(withoutLong(body)), route.provider);
  if (error !== null) return { kind: 'failed', error };
  yield;
  const write = (parts: readonly ResponsePart[], usage: TokenUsage | null) => client.writeWhole(parts, usage, writer);
  return partsOf(input, body, {
    body: (parts, usage) => Buffer.from(JSON.stringify(write(parts, usage))),
    longBody: (parts, usage) => new LongTexts().buffer(write(parts, usage)),
    stream: translated,
  });
}

type Write<Result> = (parts: readonly ResponsePart[], usage: TokenUsage | null) => Result;

/** Writes the client's body, in steps if it is long. */
interface WholeWriter<Stream> {
  body: Write<Buffer>;
  longBody?: Write<Generator<void, Buffer>>;
  /** Returns the members of a decoded response that concern a client that requested a stream. */
  stream(parts: readonly ResponsePart[]): Stream;
}

const translated = (parts: readonly ResponsePart[]): Pick<TranslatedWhole, 'parts'> => ({ parts });

export function readByParts<Stream>(input: DecodeInput, write: WholeWriter<Stream>): (WholeResponse & Stream) | DeepWhole | FailedWhole {
  const { route, body: bytes } = input;
  const { dialect, provider } = route;
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) return readDeep(input, outlineAtOnce(bytes));
  const error = dialect.readError(text, provider);
  const body = error === null ? parseObject(text) : null;
  return body === null ? { kind: 'failed', error } : partsOf(input, body, write);
}

function partsOf<Stream>(
  { route, signatures }: DecodeInput,
  body: Readonly<JsonObject>,
  { body: write, longBody, stream }: WholeWriter<Stream>,
): (WholeResponse & Stream) | DeepWhole | FailedWhole {
  const { dialect, provider } = route;
  const parts = dialect.readWhole(body, provider, route.upstreamModel);
  if (parts === null) return { kind: 'failed', error: null };
  const failure = parts.find((part) => part.type === 'error');
  if (failure !== undefined) return { kind: 'failed', error: errorInResponse(failure.error) };
  if (parts.some(isInvalidUsage)) return { kind: 'failed', error: null };
  const { usage, hosted, summaries, advice, unknownEnding } = reportedIn(parts);
  const written = () => parts.map(textOfPart).join('');
  if (!hasBoundedArguments(parts)) return { kind: 'too_deep', usage, hosted, summaries, advice, written };
  for (const part of parts) noteSignature(part, dialect, signatures);
  return {
    kind: 'whole',
    usage,
    hosted,
    summaries,
    advice,
    unknownEnding,
    isEmpty: false,
    written,
    body: (counted) => write(parts, counted ?? usage),
    ...(longBody === undefined ? {} : { longBody: (counted) => longBody(parts, counted ?? usage) }),
    ...stream(parts),
  };
}

/**
 * Reads a response that is too deeply nested to parse. Validity and usage are read from the outline of its short members.
 * Without a reported usage, the whole body counts as output.
 */
export function readDeep(
  { route: { dialect, provider, upstreamModel }, body: bytes }: DecodeInput,
  outline: JsonOutline | null,
): DeepWhole | FailedWhole {
  if (outline === null) return { kind: 'failed', error: null };
  const error = dialect.readError(outline.text, provider);
  const body = error === null ? parseObject(outline.text) : null;
  const parts = body === null ? null : dialect.readWhole(body, provider, upstreamModel);
  if (parts === null || parts.some(isInvalidUsage)) return { kind: 'failed', error };
  const { usage, hosted, summaries, advice } = reportedIn(parts);
  return { kind: 'too_deep', usage, hosted, summaries, advice, written: () => bytes.toString('utf8') };
}

const longestOfError = 64 * 1024;

function withoutLong(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestOfError ? value.slice(0, longestOfError) : value;
  if (Array.isArray(value)) return value.map(withoutLong);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutLong(member)])) : value;
}

/** Reports whether the part is an implausible usage. */
function isInvalidUsage(part: ResponsePart): boolean {
  return part.type === 'invalid_usage';
}

/** Reports whether all tool arguments, which clients may parse, fit the part budget of a body. */
function hasBoundedArguments(parts: readonly ResponsePart[]): boolean {
  const budget = new PartBudget();
  return parts.every((part) => {
    if (part.type !== 'tool_arguments') return true;
    return !isTooDeep(part.text) && budget.tryTakeText(part.text);
  });
}

/** Writes a complete response as a stream of the format that client and provider share. */
export function eventsOf(parts: readonly ResponsePart[], { client, writer }: Pick<DecodeInput, 'client' | 'writer'>): Buffer {
  // The provider's stream does not depend on the client's encoding.
  const { envelope: _envelope, onComplete: _onComplete, ...reported } = writer;
  const stream = client.createStreamWriter({ ...reported, wantsUsage: true, preservesIds: true });
  return Buffer.from(parts.map((part) => stream.write(part)).join('') + stream.end(reportedIn(parts).usage));
}

function reportedIn(parts: readonly ResponsePart[]): Pick<WholeResponse, 'usage' | 'hosted' | 'summaries' | 'advice' | 'unknownEnding'> {
  const reported = new UsageSoFar();
  for (const part of parts) reported.note(part);
  const { usage, hosted, summaries, advice, unknownEnding } = reported.report(false);
  return { usage, hosted, summaries, advice, unknownEnding };
}
