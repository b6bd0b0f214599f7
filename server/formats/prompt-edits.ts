// Prompt edits that callers request: providers of the same format apply them themselves, for others the gateway does.
type Body = Readonly<Record<string, unknown>>;

/** Approximate tokens of a text. */
export type CountText = (text: string) => number;

export interface EditedPrompt {
  /** If null, nothing changed. */
  body: Record<string, unknown> | null;
  /** Fields for the response in addition to the request's. */
  responseFields: Readonly<Record<string, unknown>>;
}

export interface PromptEdits {
  /** Prompt tokens below which no edit applies. If null, edits do not depend on the length. */
  readonly trigger: number | null;
  /** @param tokens of the prompt before the edits */
  apply(body: Body, tokens: number, countOf: CountText): EditedPrompt;
}

/** Compaction of a long conversation, for providers that do not compact. */
export interface Shortening {
  /** Prompt tokens above which the conversation is compacted. If null, always. */
  readonly threshold: number | null;
  /**
   * The summary is the whole response, written with these `responseFields`: its request replaces the caller's. If undefined, a nested call
   * writes the summary.
   */
  readonly asAnswer?: Readonly<Record<string, unknown>>;
  /**
   * Returns the request for a summary; null if there is nothing to summarize.
   * @param body body of the call, unchanged
   */
  request(body: Body): Record<string, unknown> | null;
  /**
   * Returns the compacted body.
   * @param answer response to `request`; null if the conversation is not compacted
   */
  shorten(body: Body, answer: Buffer | null): ShortenedPrompt;
}

export interface ShortenedPrompt {
  body: Record<string, unknown>;
  /** A summary replaces earlier turns. */
  isShorter?: true;
  /**
   * Fields for the response in addition to the request's. Providers of the caller's format cannot report them and are skipped. If
   * undefined, stored state reports the compaction.
   */
  responseFields?: Readonly<Record<string, unknown>>;
}
