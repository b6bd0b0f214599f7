// Wire format of a vendor's image API: how requests are written and responses read.
import type { AwaitedCall, Awaiting } from '#server/formats/awaiting.ts';
import type { ErrorInResponse } from '#server/formats/stream-pipe.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { TokenUsage } from '#shared/token-usage.ts';

export type Body = Readonly<Record<string, unknown>>;

export interface ImageFormat {
  /** Maximum images of one request; if undefined, the callers' limit. */
  mostPictures?(model: string): number;
  /**
   * @param body the caller's checked body with the channel's overrides
   * @param model upstream model name
   */
  writeRequest(body: Body, model: string): WrittenPictures;
  /** Returns null if the response is not of this format. Long texts may be marks of `liftLongTexts`. */
  readResponse(reported: Body): ReportedPictures | { error: ErrorInResponse } | null;
  /** Waits for the task that makes the images. If undefined, the response has them. */
  createAwaiting?(call: AwaitedCall): Awaiting;
}

export interface WrittenPictures {
  body: Record<string, unknown>;
  headers?: Readonly<Record<string, string>>;
  /** Names of the caller's fields that the provider cannot carry. */
  dropped: readonly string[];
}

export interface ReportedPictures {
  pictures: readonly Picture[];
  /** Null if none was reported; undefined if the numbers are invalid. */
  usage: TokenUsage | null | undefined;
}

/** Exactly one of `url` and `base64` is set. */
export interface Picture {
  url?: string;
  base64?: string;
  revisedPrompt?: string;
}

/** Fields that every vendor format carries, and those that only matter to OpenAI. */
const usual: ReadonlySet<string> = new Set(['model', 'prompt', 'n', 'size', 'response_format', 'stream', 'partial_images', 'user']);

/** @param known fields that the provider has under the same names */
export function splitFields(body: Body, known: readonly string[]): { extras: Record<string, unknown>; dropped: string[] } {
  const extras: Record<string, unknown> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined || value === null || usual.has(name)) continue;
    if (known.includes(name)) extras[name] = value;
    else dropped.push(name);
  }
  return { extras, dropped };
}

export function textIn(body: Body, name: string): string | undefined {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function countIn({ n }: Body): number {
  return typeof n === 'number' ? n : 1;
}

/** Parses a size such as `1024x1024`; returns undefined if there is none or the model chooses. */
export function pixelsIn(body: Body): { width: number; height: number } | undefined {
  const [, width, height] = /^(\d{2,5})[x*](\d{2,5})$/.exec(textIn(body, 'size') ?? '') ?? [];
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}

/** Returns the provider's ratio closest to the requested size, or the size itself if it is a ratio. */
export function ratioIn(body: Body, ratios: readonly string[]): string | undefined {
  const size = textIn(body, 'size');
  if (size !== undefined && ratios.includes(size)) return size;
  const pixels = pixelsIn(body);
  if (pixels === undefined) return undefined;
  const wanted = Math.log(pixels.width / pixels.height);
  const distance = (ratio: string) => Math.abs(logOf(ratio) - wanted);
  return ratios.toSorted((one, other) => distance(one) - distance(other))[0];
}

function logOf(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return Math.log(width / height);
}

/** Content refusal returned in place of images: an error of the request, not of the channel. */
export function refusedPrompt(message: string, code = 'content_filter'): { error: ErrorInResponse } {
  return { error: { status: 400, message, type: 'invalid_request_error', param: 'prompt', code } };
}

export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * @param addresses members that may hold a URL
 * @param bytes members that may hold base64
 */
export function pictureOf(row: Body, addresses: readonly string[], bytes: readonly string[]): Picture[] {
  const base64 = bytes.map((name) => textIn(row, name)).find((text) => text !== undefined);
  const url = addresses.map((name) => textIn(row, name)).find((text) => text !== undefined);
  if (base64 === undefined && url === undefined) return [];
  const revisedPrompt = textIn(row, 'revised_prompt') ?? textIn(row, 'actual_prompt');
  const where = base64 !== undefined ? { base64 } : url !== undefined ? { url } : {};
  return [{ ...where, ...(revisedPrompt === undefined ? {} : { revisedPrompt }) }];
}
