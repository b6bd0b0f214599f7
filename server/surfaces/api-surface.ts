// API surface of a vendor: what its SDKs expect at every path, whatever the format of a conversation.

/** Error as returned to the caller; `type` and `code` are ours or the upstream's. */
export interface ErrorObject {
  message: string;
  type: string;
  param: string | null;
  code: string | number | null;
  status: number;
  /** The provider's code, if one of ours replaces it. */
  upstreamCode?: string;
  /** Headers with details, for responses that carry the error only. */
  headers?: Readonly<Record<string, string>>;
}

export interface ListedModel {
  id: string;
  owner: string;
}

export type Vendor = 'openai' | 'anthropic' | 'google' | 'cohere';

export interface ApiSurface {
  /** Vendor whose API has the paths. Determines the requests of calls without a conversation, such as embeddings. */
  readonly vendor: Vendor;
  /** Detects the surface on paths shared by several. If undefined, it is the default there. */
  isSpokenWith?(headers: Headers, query: URLSearchParams): boolean;
  /** Client headers forwarded to providers of the same format. */
  readonly forwardedHeaders: readonly string[];
  /** The forwarded header with the turn state that an upstream returns for the next request. If undefined, there is none. */
  readonly turnStateHeader?: string;
  /** Response header in which the SDKs look for the request id. */
  readonly requestIdHeader: string;
  writeModel(model: ListedModel): Record<string, unknown>;
  /** Writes the model list, filtered by the query. @throws {AppError} 400 with the parameter at fault */
  writeModelList(models: readonly ListedModel[], query: URLSearchParams): Record<string, unknown>;
  /**
   * Tags model lists and names the newest tag in a response header, for clients whose headers show that they read it. If undefined,
   * neither.
   */
  readonly modelTag?: { readonly header: string; isWantedBy(headers: Readonly<Record<string, string>>): boolean };
  /** Writes the headers in which the SDKs read the caller's rate limits. */
  limitHeaders(limits: LimitsLeft): Record<string, string>;
  /** @param retryAfter seconds, if known */
  errorBody(error: ErrorObject, requestId: string, retryAfter?: number): Record<string, unknown>;
}

/** What is left of the tightest limit of a meter. */
export interface LimitLeft {
  limit: number;
  left: number;
  /** Milliseconds until all of it is there again, and since the epoch. */
  resetMs: number;
  resetAt: number;
}

/** Rate limits of a caller, as its responses report them. Absent meters have no limit. */
export interface LimitsLeft {
  requests?: LimitLeft;
  tokens?: LimitLeft;
}
