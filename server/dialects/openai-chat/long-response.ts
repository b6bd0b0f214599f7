// A long response that its client gets as it came, or with its vectors in another encoding. It is never parsed as a whole: what
// must be known of it stands in its short members, and vectors are read row by row.
import { parseObject } from '#server/framing/loose-json.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import type { Span } from '#server/framing/json-outline.ts';
import { readDeep } from '../decode-whole.ts';
import type { DecodedWhole, DecodeInput, DeepWhole, FailedWhole } from '../decoded-whole.ts';
import { textOf } from '../text-in-events.ts';
import { fixRow, needsEmbeddingsFix } from './embeddings.ts';
import { readWhole } from './identity-response.ts';
import { textKeys } from './text-keys.ts';

/** Where the first vector ends, as long as vectors are. */
const headBytes = 1024 * 1024;
/** No vector is longer. */
const longestRow = 4 * 1024 * 1024;

export function* readLong(input: DecodeInput): Generator<void, DecodedWhole | DeepWhole | FailedWhole> {
  const { capability, body, responseFields } = input;
  if (isRewritten(input)) return readWhole(input);
  const isList = capability === 'embeddings';
  const outline = yield* outlineOf(body, isList ? 'data' : undefined);
  if (outline === null || (isList && outline.isDeep)) return { kind: 'failed', error: null };
  if (outline.isDeep) return readDeep(input, outline);
  const short = readWhole({ ...input, body: Buffer.from(outline.text) });
  if (short.kind !== 'whole') return short;
  const isFixed = isList && needsEmbeddingsFix(body.toString('utf8', 0, headBytes), responseFields);
  const forClient = isFixed ? yield* fixRows(body, outline.rows, responseFields) : body;
  if (forClient === null) return { kind: 'failed', error: null };
  return {
    ...short,
    written: () => (isList ? '' : textOf(body.toString('utf8'), textKeys)),
    body: () => forClient,
    events: () => {
      const whole = readWhole(input);
      return whole.kind === 'whole' ? whole.events() : Buffer.alloc(0);
    },
  };
}

/** The provider's record or the channel changes more of it than vectors. */
function isRewritten({ capability, way }: DecodeInput): boolean {
  const { provider, setting } = way;
  if (capability === 'embeddings') return provider?.embeddings !== undefined || provider?.responses?.ownModel === true;
  return provider?.responses !== undefined || setting.thinkingToContent || setting.forceFormat;
}

/** Null: there is something in the list that is no row. */
function* fixRows(body: Buffer, rows: readonly Span[], request: DecodeInput['responseFields']): Generator<void, Buffer | null> {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end } of rows) {
    const row = end - start > longestRow ? null : parseObject(body.toString('utf8', start, end));
    if (row === null) return null;
    pieces.push(body.subarray(copied, start), Buffer.from(JSON.stringify(fixRow(row, request))));
    copied = end;
    yield;
  }
  pieces.push(body.subarray(copied));
  return Buffer.concat(pieces);
}
