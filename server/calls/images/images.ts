// Pictures. Callers of OpenAI's format alone have them; providers of that format are asked as they are, but for what `forms` says.
// https://platform.openai.com/docs/api-reference/images
import { tokensOf, unitsOf } from '#shared/picture-order.ts';
import { AppError } from '#shared/errors.ts';
import type { ClientCall } from '#server/dialects/client-dialect.ts';
import type { DecodeInput } from '#server/dialects/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/dialects/encode-input.ts';
import { boundaryIn } from '#server/dialects/form-body.ts';
import type { IdentityPath } from '#server/dialects/identity.ts';
import { untranslatable } from '#server/dialects/losses.ts';
import { withoutSurcharges } from '#server/dialects/surcharges.ts';
import type { CallKind, CallKindName, Decoded } from '../call-kind.ts';
import { jsonType, megabyte } from '../call-kind.ts';
import { encoded, forwardBody, overrideOf } from '../forward-body.ts';
import { forwardForm } from '../forward-form.ts';
import { editsClient, variationsClient } from './edits-client.ts';
import { generationsClient } from './generations-client.ts';
import { ImageStream } from './image-stream.ts';
import { orderOf } from './picture-order.ts';
import { onOneLine, readPictures } from './read-pictures.ts';
import type { Pictures } from './read-pictures.ts';

/** How a provider differs. What it does not say goes as the caller wrote it. */
interface ImageForm {
  rename?: Readonly<Record<string, string>>;
  /** What it refuses. */
  drop?: readonly string[];
  /** The member of its response that has the pictures, where it is not `data`. */
  listed?: string;
}

/** By the name that a provider's record has for them. */
const forms: Readonly<Record<string, ImageForm>> = {
  // https://docs.x.ai/docs/guides/image-generations
  xai: { drop: ['size', 'quality', 'style'] },
  // https://docs.siliconflow.cn/cn/api-reference/images/images-generations
  siliconflow: { rename: { size: 'image_size', n: 'batch_size' }, listed: 'images' },
};
const anyForm: ImageForm = {};
const thisChannel = { zh: '此渠道', en: 'this channel' };

export const images = imageKind('images', 'image_generation', generationsClient);
export const imageEdits = imageKind('image_edits', 'image_edit', editsClient);
export const imageVariations = imageKind('image_variations', 'image_variation', variationsClient);

/** @param eventName how the events of its streams begin */
function imageKind(name: CallKindName, eventName: string, client: ClientCall): CallKind {
  function* decodeLong(input: DecodeInput): Generator<void, Decoded> {
    const { listed = 'data' } = formOf(input);
    const pictures = yield* readPictures(input, listed);
    if ('error' in pictures) return { kind: 'failed', error: pictures.error };
    const { rows, usage } = pictures;
    const order = orderOf({ ...input.responseFields, ...input.way.paramOverride });
    const count = Math.min(rows.length, order.count);
    return {
      kind: 'whole',
      usage,
      units: unitsOf(order, input.upstreamModel, count),
      isEmpty: rows.length === 0,
      written: () => '',
      outputTokens: tokensOf(order, input.upstreamModel, count),
      body: () => (listed === 'data' ? input.body : inOneForm(input, pictures)),
      events: () => asEvents(input, pictures, eventName),
    };
  }
  const decode = (input: DecodeInput): Decoded => {
    const steps = decodeLong(input);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
  const identity: IdentityPath = {
    writeRequest: forwardBody,
    readWhole: decode,
    readLong: decodeLong,
    openStream: (input) => new ImageStream(input),
  };
  return {
    name,
    canStream: true,
    // Ten large pictures in base64.
    mostResponseBytes: 64 * megabyte,
    contentType: jsonType,
    isWritten: false,
    isCount: false,
    over: null,
    identityOf: (caller, dialect) => (dialect.name === caller.name ? identity : null),
    clientCall: (dialect) => (dialect.name === 'openai-chat' ? client : undefined),
    encode,
    decode,
    decodeLong,
  };
}

function formOf({ way }: Pick<CallInput, 'way'>): ImageForm {
  const { images: named } = way.provider;
  const form = named === undefined ? anyForm : forms[named];
  if (form === undefined) throw new AppError('format_unsupported');
  return form;
}

/** @throws {AppError} `untranslatable` for what another model is billed for */
function encode(asked: CallInput): EncodedRequest {
  const { way, body } = asked;
  if (asked.isPassThrough !== true) refuseDrawing(asked);
  if (boundaryIn(body) !== undefined) return forwardForm(asked);
  if (asked.isPassThrough === true) return forwardBody(asked);
  const { rename = {}, drop = [] } = formOf(asked);
  const isEdited = [...Object.keys(rename), ...drop].some((name) => body[name] !== undefined);
  if (!isEdited) return forwardBody(asked);
  const { call, dropped } = withoutSurcharges(asked);
  const written: Record<string, unknown> = {};
  const left: string[] = [];
  for (const [name, value] of Object.entries(call.body)) {
    if (drop.includes(name)) left.push(name);
    else if (rename[name] === undefined || call.body[rename[name]] === undefined) written[rename[name] ?? name] = value;
  }
  const text = JSON.stringify({ ...written, model: way.upstreamModel, ...overrideOf(call) });
  return { ...encoded(asked, text), dropped: [...dropped, ...left] };
}

/** Drawings are written by a model of their own, at its price. */
function refuseDrawing({ body, way }: CallInput): void {
  if (body.output_format === 'svg' && way.setting.allowsSurcharges !== true) throw untranslatable('output_format', thisChannel);
}

/** Callers know one place for pictures. */
function inOneForm({ body, writer }: DecodeInput, { told, rows }: Pictures): Buffer {
  const created = typeof told.created === 'number' ? told.created : writer.createdAt;
  const list = rows.flatMap(({ start, end }, index) => [...(index === 0 ? [] : [comma]), body.subarray(start, end)]);
  return Buffer.concat([Buffer.from(`{"created":${created},"data":[`), ...list, Buffer.from(']}')]);
}

const comma = Buffer.from(',');

/** For callers who want a stream, of a provider that only answers whole. */
function asEvents({ body, writer }: DecodeInput, { told, rows }: Pictures, eventName: string): Buffer {
  const type = `${eventName}.completed`;
  const { usage } = told;
  const facts = { type, created_at: typeof told.created === 'number' ? told.created : writer.createdAt };
  const events = rows.map((row, index) => {
    const isLast = index === rows.length - 1;
    const head = JSON.stringify({ ...facts, ...(isLast && usage !== undefined && usage !== null ? { usage } : {}) });
    const picture = onOneLine(body, row);
    const members = picture.toString('latin1', 1, Math.min(picture.length, 64)).trimStart().startsWith('}') ? '' : ',';
    return Buffer.concat([Buffer.from(`event: ${type}\ndata: ${head.slice(0, -1)}${members}`), picture.subarray(1), Buffer.from('\n\n')]);
  });
  return Buffer.concat(events);
}
