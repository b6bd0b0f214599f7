// Response fields of the vendors' SDK types, member by member: fields that are not mapped to other formats are listed with the reason in
// `unmappedFields` of the provider's format. A package with more fields than we know fails here.
import { describe, expect, test } from 'vitest';
import { upstreamDialects } from '#server/formats/registry.ts';
import type { ResponsePart } from '#server/formats/parts.ts';
import type { UpstreamDialect } from '#server/formats/upstream-dialect.ts';
import { vendorTypes } from '#tests/support/vendor-types.ts';
import { noteMembers, samplesOf, wordsLike } from '#tests/support/vendor-samples.ts';

type Json = Readonly<Record<string, unknown>>;

describe.each(vendorTypes)('what a provider that speaks $format may say', ({ format, vendor, whole, events, spread, among }) => {
  const dialect: UpstreamDialect = upstreamDialects[format];

  test('of a whole response, what only callers of its format hear of is named', () => {
    const hear = (body: unknown) => (isObject(body) ? words(dialect.readWhole(body, null)) + errorIn(body) : '');
    const found = new Map<string, boolean>();
    for (const samples of spreads(whole.flatMap((type) => samplesOf(vendor, type).map(spread)))) {
      const seen = new Map<string, Set<unknown>>();
      for (const sample of samples) noteMembers(found, sample, hear, { seen });
    }
    expect(unmappedIn(found)).toEqual(namedIn(dialect.unmappedFields?.whole));
  });

  test('of a stream likewise', () => {
    const found = new Map<string, boolean>();
    for (const samples of spreads(events.flatMap((type) => samplesOf(vendor, type).map(spread)))) {
      const seen = new Map<string, Set<unknown>>();
      for (const event of samples) {
        const { before = [], after = [] } = isObject(event) ? among(event) : {};
        const hear = (changed: unknown) => {
          const reader = dialect.createStreamReader(null);
          const parts = [...before, changed, ...after].flatMap((one) => reader.read({ name: '', data: JSON.stringify(one) }));
          return words(parts) + String(reader.isComplete);
        };
        const within = isObject(event) && typeof event['type'] === 'string' ? event['type'] : '';
        const isInputAudio = hear(event) !== hear({ type: 'unknown' });
        if (within !== '') found.set(within, isInputAudio || found.get(within) === true);
        if (isInputAudio) noteMembers(found, event, hear, { within, closed, seen });
      }
    }
    expect(unmappedIn(found)).toEqual(namedIn(dialect.unmappedFields?.events));
  });

  /** For responses only: the text is read for nothing else. */
  function errorIn(body: Json): string {
    return 'error' in body || 'promptFeedback' in body
      ? JSON.stringify(dialect.readError(JSON.stringify({ ...body, output: [] }), null))
      : 'null';
  }
});

/** What each word for why a response ended is understood as. */
const reasons: readonly { format: keyof typeof upstreamDialects; first: string; body: (word: unknown) => Json; intended: Json }[] = [
  {
    format: 'claude',
    first: 'end_turn',
    body: (stop_reason) => ({ content: [], stop_reason }),
    intended: {
      end_turn: 'stop',
      compaction: 'stop',
      max_tokens: 'length',
      model_context_window_exceeded: 'length',
      pause_turn: 'pause',
      refusal: 'content_filter',
      stop_sequence: 'stop_sequence',
      tool_use: 'tool_calls',
    },
  },
  {
    format: 'openai-chat',
    first: 'stop',
    body: (finish_reason) => ({ choices: [{ message: {}, finish_reason }] }),
    intended: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter', function_call: 'tool_calls' },
  },
  {
    format: 'openai-responses',
    first: 'max_output_tokens',
    body: (reason) => ({ output: [], status: 'incomplete', incomplete_details: { reason } }),
    intended: { max_output_tokens: 'length', max_messages: 'length', content_filter: 'content_filter', steered: 'pause' },
  },
  {
    format: 'gemini',
    first: 'FINISH_REASON_UNSPECIFIED',
    body: (finishReason) => ({ candidates: [{ content: { parts: [] }, finishReason }] }),
    intended: {
      FINISH_REASON_UNSPECIFIED: undefined,
      BLOCKLIST: 'content_filter',
      CONTINUATION: 'pause',
      IMAGE_OTHER: 'content_filter',
      IMAGE_PROHIBITED_CONTENT: 'content_filter',
      IMAGE_RECITATION: 'content_filter',
      IMAGE_SAFETY: 'content_filter',
      LANGUAGE: 'content_filter',
      // A failure, with the provider's message.
      MALFORMED_FUNCTION_CALL: undefined,
      MALFORMED_RESPONSE: undefined,
      MAX_TOKENS: 'length',
      NO_IMAGE: 'content_filter',
      OTHER: 'content_filter',
      PROHIBITED_CONTENT: 'content_filter',
      RECITATION: 'content_filter',
      SAFETY: 'content_filter',
      SPII: 'content_filter',
      STOP: 'stop',
      TOO_MANY_TOOL_CALLS: undefined,
      UNEXPECTED_TOOL_CALL: undefined,
    },
  },
];

test.each(reasons)('every reason for which $format ends is understood', ({ format, first, body, intended }) => {
  const dialect: UpstreamDialect = upstreamDialects[format];
  const types = vendorTypes.find((one) => one.format === format);
  for (const type of types?.whole ?? []) samplesOf(types?.vendor ?? 'openai', type);
  const read = wordsLike(first).map((word) => {
    const finish = dialect.readWhole(body(word), null)?.find((part) => part.type === 'finish');
    return [String(word), finish?.reason];
  });
  expect(Object.fromEntries(read)).toEqual(intended);
});

/** Samples that are alike but for what was put into them: the first of each, then the second of each. */
function spreads(samples: readonly unknown[][]): unknown[][] {
  const most = Math.max(0, ...samples.map(({ length }) => length));
  return Array.from({ length: most }, (_, index) => samples.flatMap((spread) => spread.slice(index, index + 1)));
}

/** What events hold of a response is read as that of a whole one is, and compared there. */
const closed: ReadonlySet<string> = new Set(['response', 'item', 'message', 'content_block', 'annotation', 'citation']);

/** Parts that are sent back to their origin only do not count as mapped. */
function words(parts: readonly ResponsePart[] | null): string {
  return JSON.stringify(parts, (name, value: unknown) => (name === 'object' ? undefined : value));
}

/** If no kind of thing at a path is mapped, the path is listed. */
function unmappedIn(found: ReadonlyMap<string, boolean>): string[] {
  const received = new Set<string>();
  const unmappedFields = new Set<string>();
  for (const [member, isInputAudio] of found) if (isInputAudio) received.add(placeOf(member));
  for (const [member, isInputAudio] of found) {
    if (!isInputAudio && !frame.test(member)) unmappedFields.add(received.has(placeOf(member)) ? member : placeOf(member));
  }
  return [...unmappedFields].toSorted();
}

function placeOf(member: string): string {
  return member.replace(/\{[^}]*\}$/, '');
}

/** What says which thing it is, or to which of several something belongs. */
const frame = /(?:^|\.)(?:type|role|object|index|item_id|sequence_number|obfuscation|\w+_index)$/;

function namedIn(named: Readonly<Record<string, readonly string[]>> | undefined): string[] {
  return Object.values(named ?? {})
    .flat()
    .toSorted();
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
