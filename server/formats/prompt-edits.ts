// Interfaces of prompt edits and compactions that callers request. Providers of the caller's format apply them themselves;
// for others the gateway does.
type Body = Readonly<Record<string, unknown>>;

/** Returns the approximate tokens of a text. */
export type CountText = (text: string) => number;

export interface EditedPrompt {
  /** Edited body; null if nothing changed. */
  body: Record<string, unknown> | null;
  /** Fields for the response in addition to the request's. */
  responseFields: Readonly<Record<string, unknown>>;
}

export interface PromptEdits {
  /** Prompt tokens below which no edit applies. If null, edits do not depend on the length. */
  readonly trigger: number | null;
  /** @param tokens tokens of the prompt before the edits */
  apply(body: Body, tokens: number, countOf: CountText): EditedPrompt;
}

/** Compaction of a long conversation, for providers that do not compact. */
export interface Shortening {
  /** Prompt tokens above which the conversation is compacted. If null, always. */
  readonly threshold: number | null;
  /**
   * If defined, the summary is the whole response, written with these `responseFields`, and the request for it replaces the
   * caller's. If undefined, a nested call requests the summary.
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
  /** Whether a summary replaces earlier turns. */
  isShorter?: true;
  /**
   * Response fields that report the compaction. Routes that forward the provider's response cannot report it and are skipped.
   * If undefined, stored state reports the compaction.
   */
  responseFields?: Readonly<Record<string, unknown>>;
}
