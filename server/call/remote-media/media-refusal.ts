// Builds a caller's error for media that cannot be downloaded.
import { AppError } from '#shared/errors.ts';
import type { DownloadReason, DownloadRefusal } from '#server/egress/downloads.ts';

type Texts = Readonly<{ zh: string; en: string }>;

/** One message for unknown and private hosts, because different ones would reveal the names of a private network. */
const nowhere = { zh: '公共互联网上找不到该主机', en: 'its host is not known, or not of the public internet' };

const reasons: Record<Exclude<DownloadReason, 'status' | 'too_large'>, Texts> = {
  not_https: { zh: '必须是 https:// 地址', en: 'its address must begin with https://' },
  private_address: nowhere,
  refused_port: { zh: '该端口不可用于网页', en: 'its port is not one of the web' },
  unknown_host: nowhere,
  unreachable: { zh: '无法连接到该主机', en: 'its host cannot be reached' },
  tls: { zh: '该主机的证书无效', en: 'its host has no valid certificate' },
  timeout: { zh: '下载超时', en: 'it took too long' },
  too_many_redirects: { zh: '重定向次数过多', en: 'it leads from one address to the next' },
  broken_answer: { zh: '对方的响应不完整', en: 'its server broke off' },
  encoded: { zh: '对方返回的内容经过压缩', en: 'its server sent it packed' },
  worker: { zh: '此服务器的下载 Worker 没有响应', en: 'the worker by which this server fetches does not answer' },
  no_content: { zh: '对方没有返回内容', en: 'its server sent nothing' },
  too_many: { zh: '您有太多文件正在下载', en: 'too many files of yours are being fetched' },
  switched_off: { zh: '此服务器不下载文件', en: 'this server fetches none' },
};

export function notFetched(url: string, refusal: Pick<DownloadRefusal, 'reason' | 'status' | 'limit'>): AppError {
  const { reason } = refusal;
  const said = wordsOf(refusal);
  const options = reason === 'too_many' ? { retryAfter: 5 } : {};
  return new AppError('media_not_fetched', { url: shown(url), reason: said }, options);
}

function wordsOf({ reason, status, limit }: Pick<DownloadRefusal, 'reason' | 'status' | 'limit'>): Texts {
  if (reason === 'status') return { zh: `对方返回状态码 ${status}`, en: `its server answered with status ${status}` };
  if (reason !== 'too_large') return reasons[reason];
  const megabytes = limit / 1_000_000;
  return { zh: `文件超过 ${megabytes} MB`, en: `it is larger than ${megabytes} MB` };
}

export function longAddress(): AppError {
  return new AppError('media_not_fetched', { url: '', reason: { zh: '地址过长', en: 'its address is too long' } });
}

/** @param mediaType detected media type; undefined if unknown */
export function wrongMedia(url: string, mediaType: string | undefined): AppError {
  const type = mediaType ?? 'application/octet-stream';
  return new AppError('media_not_fetched', {
    url: shown(url),
    reason: { zh: `其类型 ${type} 不适用于此处`, en: `it is of the type ${type}, which does not fit here` },
  });
}

export function tooManyMedia(most: number): AppError {
  return new AppError('invalid_request', {
    detail: { zh: `一次请求最多可通过地址引用 ${most} 个文件`, en: `a request may name at most ${most} files by their addresses` },
  });
}

/** Returns a URL without its query, which may contain credentials. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : `${url.origin}${url.pathname}`.slice(0, 200);
}
