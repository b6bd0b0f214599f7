// More pictures than a provider makes at a time: ordered by several calls, and told as one.
import { boundaryIn } from '#server/dialects/form-body.ts';
import { upstreamDialects } from '#server/dialects/registry.ts';
import type { Way } from '#server/dialects/way.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { sumOfUsages } from '#shared/token-usage.ts';
import type { TokenUsage } from '#shared/token-usage.ts';
import type { CallKind, CallPiece, CallPieces } from '../call-kind.ts';
import { orderFields } from './generations-client.ts';
import { mostAtOnce } from './most-pictures.ts';
import { listOf, usageObject } from './own-pictures.ts';
import { countIn } from './picture-form.ts';
import type { Body } from './picture-form.ts';
import { readPictureUsage } from './picture-usage.ts';

/** Null: one call will do. Of a number that its channel overrides no more are made. */
export function picturePieces(kind: CallKind, way: Way, body: Body): CallPieces | null {
  const { provider, upstreamModel, paramOverride } = way;
  const most = mostAtOnce(kind.name === 'image_edits', provider.images, upstreamModel);
  if (countIn(body) <= most || paramOverride?.n !== undefined) return null;
  return {
    kind,
    dialect: upstreamDialects['openai-chat'],
    split: (asked) => piecesOf(asked, most),
    join: { of: 'bytes', join },
    // Pictures that stand in JSON are written anew for each; files of a form are read while they are sent.
    ...(kind.name === 'image_edits' && boundaryIn(body) === undefined ? { atOnce: 1 } : {}),
    stream: null,
  };
}

function piecesOf(body: Body, most: number): CallPiece[] {
  const count = countIn(body);
  return Array.from({ length: Math.ceil(count / most) }, (_piece, index) => {
    // Symbols tell where a form's files are.
    const piece = { ...body, n: Math.min(most, count - index * most) };
    // Nobody reads it: all of them are asked for in their provider's words.
    return { body: piece, asked: orderFields(piece), rawText: '' };
  });
}

/** Each is one of ours, in the words of OpenAI. */
function* join(responses: readonly Buffer[]): Generator<void, Buffer> {
  const rows: Buffer[] = [];
  const usages: TokenUsage[] = [];
  let created: unknown = 0;
  for (const response of responses) {
    const outline = yield* outlineOf(response, 'data');
    const told = parseObject(outline?.text ?? '') ?? {};
    const usage = readPictureUsage(told.usage);
    if (usage !== undefined && usage !== null) usages.push(usage);
    created ||= told.created;
    for (const { start, end } of outline?.rows ?? []) rows.push(response.subarray(start, end));
  }
  const isTold = usages.length === responses.length && usages.length > 0;
  const told = isTold ? `,"usage":${JSON.stringify(usageObject(usages.reduce(sumOfUsages)))}` : '';
  return Buffer.concat([Buffer.from(`{"created":${Number(created)},"data":`), ...listOf(rows), Buffer.from(`${told}}`)]);
}
