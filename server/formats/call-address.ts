// Reads model, stream flag and other parameters of a call from its path, query, headers or body.
import { requestedModel } from './requested-model.ts';

/** Everything in a request except its body. */
export interface CallAddress {
  /** Unescaped model in the path. If undefined, the path has none. */
  readonly model: string | undefined;
  /** Word after the last colon of the path. If undefined, the path has none. */
  readonly verb: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Headers;
}

export interface RequestedCall {
  model: string;
  /** Fallback models in order, if the caller named no model and the default is not served. */
  otherModels?: readonly string[];
  isStream: boolean;
  /** Content type of the stream. If undefined, server-sent events. */
  streamType?: string;
}

/** Reads `model` and `stream` of a body, as OpenAI names them. @throws {AppError} `model_required`, `invalid_request` */
export function requestedByBody(body: Readonly<Record<string, unknown>>): RequestedCall {
  return { model: requestedModel(body), isStream: body['stream'] === true };
}

const noQuery = new URLSearchParams();

/** @param url URL as received, usually without a host */
export function callAddress(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  { model, verb }: { model: string | undefined; verb: string | undefined },
): CallAddress {
  const query = url.indexOf('?');
  return { model, verb, headers, query: query < 0 ? noQuery : new URLSearchParams(url.slice(query)) };
}
