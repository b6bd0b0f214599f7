// How the key of a channel travels. One file per scheme; a scheme may need nothing but the key, or all of a request.
import type { SendRequest } from '#server/upstream/send.ts';

export interface Authorization {
  /** Headers that are the same on every call. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why no call can be made with this key, for administrators; null when it can. */
  readonly problem: string | null;
  /**
   * For what depends on the call: its method, its address, its headers, the bytes of its body, the time. Missing: `headers` say it all.
   * @param now milliseconds
   */
  sign?<Request extends SendRequest>(request: Request, now: number): Request | Promise<Request>;
}
