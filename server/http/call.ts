import type { Language } from '#shared/errors.ts';
import type { NoticeCode } from '#shared/notices.ts';
import type { BodyOf, Endpoint, ExtraOf, ParamsOf, QueryOf, ReplyOf } from '#shared/contract.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';

/** Who calls: the account as it is now (never a snapshot of login time). */
export interface Caller {
  user: UserRecord;
  /** Record id of the session; null for a caller with an access token. */
  sessionId: string | null;
  /** Cookie to send along, when the session was prolonged. */
  setCookie?: string;
}

/** Whom to count attempts against. */
export interface RequestSource {
  /**
   * Address of the client for limits only: `ip`, or behind a private proxy that is not trusted the address which that proxy forwards.
   * Never a proof of anything: not for sessions, logs or the addresses of a token.
   */
  source: string;
  /** Address of a private proxy that forwards requests and is not in `TRUSTED_PROXIES`. */
  untrustedProxy: string | null;
}

export interface RequestFacts extends RequestSource {
  requestId: string;
  /** Address of the client; forwarding headers are read only from trusted proxies. */
  ip: string;
  /** True when the client reached us by HTTPS. */
  isSecure: boolean;
  language: Language;
  headers: Headers;
  url: URL;
}

/** What a handler works with. */
export interface Call<E> {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Narrow with `signedIn(call)` where the endpoint's access guarantees a session. */
  caller: Caller | null;
  facts: RequestFacts;
  context: AppContext;
  /** Cookies to set, whatever becomes of the call: what is put in here goes out with a refusal too. */
  cookies: string[];
}

interface ResponseOptions<Extra> {
  /** What the envelope's `message` says; empty unless told. */
  notice?: NoticeCode;
  /** Top-level keys beside `data`. */
  extra?: Extra;
  headers?: Record<string, string>;
  /** A path of the console to send the browser to, instead of an envelope. */
  redirect?: string;
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

/** A file or stream that is written as it is read, in place of the envelope. Whoever leaves ends it. */
export class Download {
  readonly type: string;
  /** Absent: nothing that is kept. */
  readonly fileName: string | undefined;
  readonly parts: AsyncGenerator<string>;
  /** Begun at once, so that its end is certain to come: an end that gives something back is never left out. */
  readonly first: Promise<IteratorResult<string>>;
  constructor(file: { type: string; fileName?: string; parts: AsyncGenerator<string> }) {
    this.type = file.type;
    this.fileName = file.fileName;
    this.parts = file.parts;
    this.first = file.parts.next();
    // Whoever answers hears of it.
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
