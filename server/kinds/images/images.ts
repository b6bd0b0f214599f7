// Image generation, edits and variations. Callers use OpenAI's format, or Gemini's `:predict` (`PictureCaller`);
// requests go upstream in OpenAI's or a vendor format (`vendors/`).
// https://platform.openai.com/docs/api-reference/images
import { AppError } from '#shared/errors.ts';
import { writeJson } from '#server/framing/long-json.ts';
import { pictureModel, tokensOfSeen, unitsOf } from '#shared/picture-order.ts';
import type { ClientCall } from '#server/formats/client-dialect.ts';
import type { DecodeInput, WholeResponse } from '#server/formats/decoded-whole.ts';
import type { CallInput, EncodedRequest } from '#server/formats/encode-input.ts';
import { boundaryIn } from '#server/formats/multipart-body.ts';
import type { IdentityPath } from '#server/formats/identity.ts';
import { untranslatable } from '#server/formats/losses.ts';
import { withoutSurcharges } from '#server/formats/surcharges.ts';
import { type CallKind, type CallKindName, type CallsByVendor, type Decoded, jsonType, megabyte } from '../call-kind.ts';
import { asRequested, encoded, forwardBody, withOverride } from '../forward-body.ts';
import { forwardMultipart } from '../forward-multipart.ts';
import { namedPictures } from './linked-images.ts';
import { editsClient, variationsClient } from './edits-client.ts';
import { generationsClient } from './generations-client.ts';
import { pictureEdits } from './vendors/edits.ts';
import { google } from './vendors/google.ts';
import { imageFormats } from './vendors/registry.ts';
import { ImageStream } from './image-stream.ts';
import { encodeVendorImages, formNamed, readVendorImages, usageObject, type VendorImages } from './vendor-images.ts';
import { encodeEdit } from './vendor-edits.ts';
import type { Body, ImageFormat } from './image-format.ts';
import { revisedPrompts, sizeInBytes } from './picture-bytes.ts';
import { picturePieces } from './split-images.ts';
import { openaiCaller } from './openai-caller.ts';
import type { PictureCaller } from './picture-caller.ts';
import { orderOf, seenIn } from './picture-order.ts';
import { predictCaller } from './predict-caller.ts';
import { predictClient } from './predict-client.ts';
import { onOneLine, type Pictures, readPictures } from './read-pictures.ts';

/** Fields rejected by providers that otherwise take OpenAI's requests, by the name in the provider's record. */
const refusedFields: Readonly<Record<string, readonly string[]>> = {
  // https://docs.x.ai/docs/guides/image-generations
  xai: ['size', 'quality', 'style'],
};
const thisChannel = { zh: '此渠道', en: 'this channel' };

/** How callers of each vendor's surface request images. */
const callers: CallsByVendor<PictureCaller> = { openai: openaiCaller, google: predictCaller };

export const images = imageKind('images', 'image_generation', { openai: generationsClient, google: predictClient });
export const imageEdits = imageKind('image_edits', 'image_edit', { openai: editsClient });
export const imageVariations = imageKind('image_variations', 'image_variation', { openai: variationsClient });

function callerOf({ client }: Pick<CallInput, 'client'>): PictureCaller {
  const caller = callers[client.surface.vendor];
  if (caller === undefined) throw new AppError('format_unsupported');
  return caller;
}

/**
 * @param eventName prefix of the stream's events
 * @param clients request readers
 */
function imageKind(name: CallKindName, eventName: string, clients: CallsByVendor<ClientCall>): CallKind {
  function* decodeLong(input: DecodeInput): Generator<void, Decoded> {
    const caller = callerOf(input);
    const form = caller.passes(input.route) ? google : formOf(input);
    if (form !== null) return yield* decodeVendorImages(input, form, eventName);
    const pictures = yield* readPictures(input, 'data');
    if ('error' in pictures) return { kind: 'failed', error: pictures.error };
    const { reported, usage, cost } = pictures;
    const rows = pictures.rows.map(({ start, end }) => input.body.subarray(start, end));
    return {
      ...paidFor(input, { rows, usage, reported }),
      written: () => revisedPrompts(rows),
      cost,
      body: () => (caller === openaiCaller ? input.body : caller.writeBody({ rows, usage }, input, usage)),
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
  const kind: CallKind = {
    name,
    canStream: true,
    // Ten large images in base64.
    mostResponseBytes: 64 * megabyte,
    contentType: jsonType,
    isWritten: false,
    isText: true,
    isCount: false,
    over: null,
    inPieces: (route, body, client) => picturePieces(kind, route, { body, caller: callerOf({ client }) }),
    // Vendor formats are translated to the caller's.
    identityOf: (client, dialect) => (client.surface.vendor === 'openai' || client.name === dialect.name ? identity : null),
    clientCall: ({ surface }) => clients[surface.vendor],
    addressUse: ({ provider }) => (takesAddresses(provider.images) ? 'address' : 'bytes'),
    encode: name === 'image_edits' ? encodeEdits : encode,
    decode,
    decodeLong,
  };
  return kind;
}

function* decodeVendorImages(input: DecodeInput, form: ImageFormat, eventName: string): Generator<void, Decoded> {
  const read = yield* readVendorImages(input, form);
  if ('error' in read) return { kind: 'failed', error: read.error };
  const { rows, usage } = read;
  const caller = callerOf(input);
  const reported = usage === null ? {} : { usage: usageObject(usage) };
  return {
    ...paidFor(input, read),
    written: () => revisedPrompts(rows),
    body: () => (caller.passes(input.route) ? input.body : caller.writeBody(read, input, usage)),
    events: () => eventsOf(rows, { ...reported, created: input.writer.createdAt }, eventName),
  };
}

/** @param reported members of the response outside its images; undefined if there are none */
function paidFor(
  input: DecodeInput,
  { rows, usage, reported = {} }: VendorImages & { reported?: Body },
): Omit<WholeResponse, 'written' | 'body'> {
  const { paramOverride } = input.route;
  const order = orderOf({ ...callerOf(input).asWords({ ...input.responseFields, ...paramOverride }, input).body, ...paramOverride });
  const paid = rows.slice(0, order.count);
  const made = pictureModel(input.upstreamModel, input.writer.model);
  const tokens = (row: Buffer) => tokensOfSeen(order, made, seenIn(reported, sizeInBytes(row)));
  return {
    kind: 'whole',
    usage,
    units: unitsOf(order, made, paid.length),
    isEmpty: rows.length === 0,
    outputTokens: Math.ceil(paid.reduce((sum, row) => sum + tokens(row), 0)),
  };
}

function formOf({ route }: Pick<CallInput, 'route'>): ImageFormat | null {
  const { images: named } = route.provider;
  return named !== undefined && Object.hasOwn(refusedFields, named) ? null : formNamed(named, imageFormats);
}

/**
 * @throws {AppError} `untranslatable` for fields that another model is billed for, `invalid_request` for more images
 * than the provider makes
 */
function encode(requested: CallInput): EncodedRequest {
  const caller = callerOf(requested);
  return caller === openaiCaller ? encodeWords(requested) : encodeForeign(requested, caller);
}

/** Forwards the request if the provider uses the caller's format, else translates it to OpenAI's. */
function encodeForeign(given: CallInput, caller: PictureCaller): EncodedRequest {
  const requested = given.body;
  if (caller.passes(given.route)) {
    const text = given.isPassThrough === true ? given.rawText : JSON.stringify(withOverride(requested, given));
    return { ...encoded(given, text), ...asRequested(given), dropped: [], isWhole: true };
  }
  const { body, dropped, names } = caller.asWords(requested, { upstreamModel: given.route.upstreamModel, provider: given.route.provider });
  const request = encodeWords({ ...given, body, rawText: JSON.stringify(body), isPassThrough: false });
  return {
    ...request,
    dropped: [...dropped, ...request.dropped.map((name) => names[name] ?? name)],
    isWhole: true,
    contents: request.contents ?? namedPictures,
  };
}

function encodeWords(requested: CallInput): EncodedRequest {
  const { route, body } = requested;
  if (requested.isPassThrough !== true) refuseDrawing(requested);
  const form = formOf(requested);
  if (boundaryIn(body) !== undefined) return forwardMultipart(requested);
  if (form !== null) return encodeVendorImages(requested, form);
  const refused = refusedFields[route.provider.images ?? ''] ?? [];
  if (requested.isPassThrough === true || refused.every((name) => body[name] === undefined)) return forwardBody(requested);
  const { call, dropped } = withoutSurcharges(requested);
  const left = refused.filter((name) => call.body[name] !== undefined);
  const written = Object.fromEntries(Object.entries(call.body).filter(([name]) => !refused.includes(name)));
  const text = writeJson(withOverride({ ...written, model: route.upstreamModel }, call), requested.longTexts);
  return { ...encoded(requested, text), dropped: [...dropped, ...left] };
}

/**
 * Providers of OpenAI's format take URLs.
 * @param form name in the provider's record
 */
function takesAddresses(form = ''): boolean {
  const edit = pictureEdits.get(form);
  return edit === undefined || edit.takesAddresses === true;
}

/** @throws {AppError} as `encode`, and for fields that the provider's edits cannot carry */
function encodeEdits(requested: CallInput): EncodedRequest {
  const edit = pictureEdits.get(requested.route.provider.images ?? '');
  if (edit === undefined) return encode(requested);
  refuseDrawing(requested);
  return encodeEdit(requested, edit, formOf(requested));
}

/** SVG output is made by a separate model at its own price. */
function refuseDrawing({ body, route }: CallInput): void {
  if (body.output_format === 'svg' && route.setting.allowsSurcharges !== true) throw untranslatable('output_format', thisChannel);
}

/** Events for callers who want a stream from a provider that does not stream. */
function asEvents({ body, writer }: DecodeInput, { reported, rows }: Pictures, eventName: string): Buffer {
  const created = typeof reported.created === 'number' ? reported.created : writer.createdAt;
  const pictures = rows.map((row) => onOneLine(body, row));
  return eventsOf(pictures, { ...(reported.usage === null ? {} : { usage: reported.usage }), created }, eventName);
}

/** @param pictures JSON objects without line breaks */
function eventsOf(pictures: readonly Buffer[], { usage, created }: { usage?: unknown; created: number }, eventName: string): Buffer {
  const type = `${eventName}.completed`;
  const events = pictures.flatMap((picture, index) => {
    const isLast = index === pictures.length - 1;
    const head = JSON.stringify({ type, created_at: created, ...(isLast && usage !== undefined ? { usage } : {}) });
    const members = picture.toString('latin1', 1, Math.min(picture.length, 64)).trimStart().startsWith('}') ? '' : ',';
    return [Buffer.from(`event: ${type}\ndata: ${head.slice(0, -1)}${members}`), picture.subarray(1), Buffer.from('\n\n')];
  });
  return Buffer.concat(events);
}
