// What a call asks for, wherever its format says it: in the path, the query, the headers or the body.
import { requestedModel } from './requested-model.ts';

/** What a request says beside its body. */
export interface CallAddress {
  /** The model that the path names, without escapes; undefined: it names none. */
  readonly model: string | undefined;
  /** The word behind the path's last colon; undefined: there is none. */
  readonly verb: string | undefined;
  readonly query: URLSearchParams;
  readonly headers: Headers;
}

export interface RequestedCall {
  model: string;
  /** The caller names none: in order, others that do as well where the first one is not served. */
  otherModels?: readonly string[];
  /** The response is to come as a stream. */
  isStream: boolean;
  /** Content type of that stream; undefined: events. */
  streamType?: string;
}

/** Where the body says it all, in the names that OpenAI gave. @throws {AppError} `model_required`, `invalid_request` */
export function requestedByBody(body: Readonly<Record<string, unknown>>): RequestedCall {
  return { model: requestedModel(body), isStream: body['stream'] === true };
}

const noQuery = new URLSearchParams();

/** @param url as it was sent, mostly without a host */
export function callAddress(
  { url, headers }: Pick<Request, 'url' | 'headers'>,
  { model, verb }: { model: string | undefined; verb: string | undefined },
): CallAddress {
  const query = url.indexOf('?');
  return { model, verb, headers, query: query < 0 ? noQuery : new URLSearchParams(url.slice(query)) };
}
