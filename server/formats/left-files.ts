// Uploads images and documents before a call, for formats that accept them by file id only.
import { randomUUID } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import { badField } from '#server/framing/strict-fields.ts';
import type { MediaSource } from './parts.ts';

export interface LeftFile {
  /** Unguessable placeholder in the body for the provider's file id. */
  mark: string;
  /** File name with an extension for the type. */
  fileName: string;
  mediaType: string;
  base64: string;
}

/** The provider's upload endpoint. */
export interface FileDesk {
  /** @param call path of the call, with any prefix before the provider's path */
  path(call: string): string;
  /** Form fields in addition to the file. */
  fields(body: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
  /** Returns the file id in the response; undefined if the upload failed. */
  nameOf(answer: Readonly<Record<string, unknown>>): unknown;
}

/** Maximum files per call. */
const mostFiles = 10;
/** Base64 of 15 MiB. https://docs.dify.ai/en/self-host/configuration/environments */
const longestFile = 20 * 1024 * 1024;
const tooMany = { zh: `中的文件不能超过 ${mostFiles} 个`, en: `may have at most ${mostFiles} files` };
const mediaType = /^[a-z]{1,20}\/[\w.+-]{1,100}$/i;
const endings: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
};

export class FilesToLeave {
  readonly all: LeftFile[] = [];

  /** Returns the placeholder of the file. @throws {AppError} `invalid_request` for too many files, `body_too_large` */
  add({ mediaType: reported, data }: Extract<MediaSource, { kind: 'base64' }>, kind: 'image' | 'document', name?: string): string {
    if (this.all.length >= mostFiles) throw badField('messages', tooMany);
    if (data.length > longestFile) throw new AppError('body_too_large', { limit: longestFile });
    const type = mediaType.test(reported) ? reported.toLowerCase() : 'application/octet-stream';
    const mark = `left-file-${randomUUID()}`;
    this.all.push({ mark, fileName: nameFor(type, kind, name), mediaType: type, base64: data });
    return mark;
  }
}

function nameFor(type: string, kind: string, name: string | undefined): string {
  const plain = name?.replaceAll(/[^\p{L}\p{N}._ -]/gu, '').slice(-100) ?? '';
  if (/\.\w{1,8}$/.test(plain)) return plain;
  const ending = endings[type] ?? /^[\w]+/.exec(type.split('/')[1] ?? '')?.[0] ?? 'bin';
  return `${plain === '' ? kind : plain}.${ending}`;
}
