// Image requests and responses of OpenAI's format, which is also the internal one.
import { upstreamDialects } from '#server/formats/registry.ts';
import { outlineOf } from '#server/framing/json-outline.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { sumOfUsages, type TokenUsage } from '#shared/token-usage.ts';
import { orderFields } from './generations-client.ts';
import { bodyOf, listOf, usageObject } from './vendor-images.ts';
import type { PictureCaller } from './picture-caller.ts';
import { countIn } from './image-format.ts';
import { readPictureUsage } from './picture-usage.ts';

export const openaiCaller: PictureCaller = {
  dialect: upstreamDialects['openai-chat'],
  asWords: (body) => ({ body, dropped: [], names: {} }),
  passes: () => false,
  countIn,
  // Files of a multipart form are stored under symbols.
  withCount: (body, n) => ({ ...body, n }),
  orderFields,
  writeBody: bodyOf,
  join,
};

function* join(responses: readonly Buffer[]): Generator<void, Buffer> {
  const rows: Buffer[] = [];
  const usages: TokenUsage[] = [];
  let created: unknown = 0;
  for (const response of responses) {
    const outline = yield* outlineOf(response, 'data');
    const reported = parseObject(outline?.text ?? '') ?? {};
    const usage = readPictureUsage(reported.usage);
    if (usage !== undefined && usage !== null) usages.push(usage);
    created ||= reported.created;
    for (const { start, end } of outline?.rows ?? []) rows.push(response.subarray(start, end));
  }
  const isReported = usages.length === responses.length && usages.length > 0;
  const reported = isReported ? `,"usage":${JSON.stringify(usageObject(usages.reduce(sumOfUsages)))}` : '';
  return Buffer.concat([Buffer.from(`{"created":${Number(created)},"data":`), ...listOf(rows), Buffer.from(`${reported}}`)]);
}
