// Pictures in JSON requests: a URL, a `data:` URL, or bare Base64.
import { AppError } from '#shared/errors.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { MultipartFile } from '#server/framing/multipart.ts';
import type { VideoPicture } from './video-format.ts';

/** Maximum bytes of a picture in JSON, which must be in memory. */
const mostBytes = 10 * 1024 * 1024;
const dataUrl = /^data:(image\/[\w.+-]{1,40});base64,([A-Za-z0-9+/=\s]*)$/;
const types: readonly (readonly [type: string, start: string])[] = [
  ['image/png', '89504e47'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '52494646'],
];

/** URLs unchanged; files as `data:` URLs. */
export async function addressOrData(picture: VideoPicture): Promise<string> {
  if ('url' in picture) return picture.url;
  const { type, base64 } = await bytesOf(picture.file);
  return `data:${type};base64,${base64}`;
}

/** URLs unchanged; everything else as Base64. */
export async function addressOrBase64(picture: VideoPicture): Promise<string> {
  if ('url' in picture) return partsOf(picture.url)?.base64 ?? picture.url;
  return (await bytesOf(picture.file)).base64;
}

/**
 * For providers that download nothing.
 * @throws {AppError} `invalid_request` for a URL
 */
export async function inlineParts(picture: VideoPicture): Promise<{ type: string; base64: string }> {
  if ('file' in picture) return bytesOf(picture.file);
  const parts = partsOf(picture.url);
  if (parts === null) throw badField('input_reference', mustBeSent);
  return parts;
}

const mustBeSent = {
  zh: '必须是文件、data: 地址或 http(s) 地址',
  en: 'must be a file, a data: URL or an http(s) address',
};

export function partsOf(url: string): { type: string; base64: string } | null {
  const [, type, base64] = dataUrl.exec(url) ?? [];
  return type === undefined || base64 === undefined ? null : { type, base64 };
}

async function bytesOf({ content, type }: MultipartFile): Promise<{ type: string; base64: string }> {
  if (content.size > mostBytes) throw new AppError('body_too_large', { limit: mostBytes });
  const bytes = await content.read(0, content.size);
  return { type: typeOf(bytes, type), base64: bytes.toString('base64') };
}

/** Detects the type from the first bytes; callers often send none or a generic one. */
function typeOf(bytes: Buffer, reported: string): string {
  const start = bytes.subarray(0, 4).toString('hex');
  const known = types.find(([, begin]) => start.startsWith(begin));
  return known?.[0] ?? (/^image\/[\w.+-]{1,40}$/.test(reported) ? reported : 'image/png');
}
