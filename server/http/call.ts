import type { Language } from '#shared/errors.ts';
import type { NoticeCode } from '#shared/notices.ts';
import type { BodyOf, Endpoint, ExtraOf, ParamsOf, QueryOf, ReplyOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import type { Membership } from '#server/http/membership.ts';

/** Caller of a request: the current account, never a snapshot from sign-in. */
export interface Caller {
  user: UserRecord;
  /** Who acts for `user`, if that is an organisation; null for the account itself. */
  membership?: Membership | null;
  /** Record id of the session; null for an access token. */
  sessionId: string | null;
  /** Cookie to send, if the session was renewed. */
  setCookie?: string;
}

/** The person who calls, for limits, records and the role at the site. */
export function personOf({ user, membership }: Pick<Caller, 'user' | 'membership'>): UserRecord {
  return membership?.person ?? user;
}

/** Source that attempts are counted for. */
export interface RequestSource {
  /**
   * Client address for limits only: `ip`, or the address forwarded by an untrusted private proxy. Proves nothing: not
   * for sessions, logs or a token's allowed addresses.
   */
  source: string;
  /** Address of a private proxy that forwards requests and is not in `TRUSTED_PROXIES`. */
  untrustedProxy: string | null;
}

export interface RequestFacts extends RequestSource {
  requestId: string;
  /** Client address; forwarding headers are read only from trusted proxies. */
  ip: string;
  /** True if the client used HTTPS. */
  isSecure: boolean;
  language: Language;
  headers: Headers;
  url: URL;
}

/** Input of a handler. */
export interface Call<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Narrow with `signedIn(call)` if the endpoint's access guarantees a session. */
  caller: Caller | null;
  facts: RequestFacts;
  context: AppContext;
  /** Cookies to set, whether the call succeeds or fails. */
  cookies: string[];
  /** Chunks of the body of an endpoint that takes bytes, bounded by its limit; empty for others. @throws {AppError} `body_too_large`, `body_timeout` */
  bytes: AsyncIterable<Buffer>;
}

interface ResponseOptions<Extra> {
  /** Code of the envelope's `message`; empty if undefined. */
  notice?: NoticeCode;
  /** Top-level keys in addition to `data`. */
  extra?: Extra;
  headers?: Record<string, string>;
  /** The response may be stored and is revalidated by its tag; by default, no response may be. */
  caching?: Caching;
  /** Console path to redirect the browser to, instead of an envelope. */
  redirect?: string;
}

export interface Caching {
  /** Changes with the response. */
  tag: string;
  /** `Cache-Control`. */
  control: string;
  /** Request headers, other than those of the compression, that the response depends on. */
  vary: string;
}

/** A response with more than `data`; made by `respond()`. */
export class HandlerResponse<Data, Extra> {
  readonly data: Data;
  readonly options: ResponseOptions<Extra>;
  constructor(data: Data, options: ResponseOptions<Extra>) {
    this.data = data;
    this.options = options;
  }
}

/** Wraps a handler's result when it has a notice, extra top-level keys or headers (`set-cookie`). */
export function respond<Data, Extra = undefined>(data: Data, options: ResponseOptions<Extra>): HandlerResponse<Data, Extra> {
  return new HandlerResponse(data, options);
}

/** A file or stream that is written while it is read, instead of the envelope. Ends when the client disconnects. */
export class Download {
  readonly type: string;
  /** If undefined, the browser does not save it. */
  readonly fileName: string | undefined;
  readonly parts: AsyncGenerator<string | Uint8Array>;
  /** Size of the whole, if known. */
  readonly bytes: number | undefined;
  /** Started at once, so that `finally` of the generator always runs. */
  readonly first: Promise<IteratorResult<string | Uint8Array>>;
  constructor(file: { type: string; fileName?: string; bytes?: number; parts: AsyncGenerator<string | Uint8Array> }) {
    this.type = file.type;
    this.fileName = file.fileName;
    this.parts = file.parts;
    this.bytes = file.bytes;
    this.first = file.parts.next();
    // Rejections are handled by the responder.
    this.first.catch(() => {});
  }
}

export type Handler<E extends Endpoint> = (
  call: Call<E>,
) =>
  | Promise<ReplyOf<E> | HandlerResponse<ReplyOf<E>, ExtraOf<E>> | Download>
  | ReplyOf<E>
  | HandlerResponse<ReplyOf<E>, ExtraOf<E>>
  | Download;

/** The caller of an endpoint whose access is at least `user`. */
export function signedIn(call: { caller: Caller | null }): Caller {
  if (call.caller === null) throw new Error('This endpoint is mounted without a session check');
  return call.caller;
}
