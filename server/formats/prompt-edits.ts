// Changes of a prompt that its caller asks for and a provider of the same format makes itself; before others they are made here.
type Body = Readonly<Record<string, unknown>>;

/** Tokens of a text, roughly. */
export type CountText = (text: string) => number;

export interface EditedPrompt {
  /** Null: nothing has changed. */
  body: Record<string, unknown> | null;
  /** What its response is written from beside what the request says. */
  responseFields: Readonly<Record<string, unknown>>;
}

export interface PromptEdits {
  /** Tokens of the prompt below which none of them depends on that number; null: none ever does. */
  readonly trigger: number | null;
  /** @param tokens of the prompt as it is */
  apply(body: Body, tokens: number, countOf: CountText): EditedPrompt;
}

/** A conversation that is to be shortened when it is long, where a provider is asked that does not do so itself. */
export interface Shortening {
  /** Tokens of the prompt beyond which it is shortened; null: it is, whatever its length. */
  readonly threshold: number | null;
  /**
   * The summary is all that its caller is told, by these `responseFields`, and the request for one goes on in the place of the caller's.
   * Missing: a call of its own writes the summary.
   */
  readonly asAnswer?: Readonly<Record<string, unknown>>;
  /** What a model is asked that is to write a summary; null: there is nothing to summarize. @param body the call's, as it is */
  request(body: Body): Record<string, unknown> | null;
  /** How the call goes on. @param answer to `request`; null: nothing was asked */
  goOn(body: Body, answer: Buffer | null): ShortenedPrompt;
}

export interface ShortenedPrompt {
  body: Record<string, unknown>;
  /** A summary stands in it for what was said. */
  isShorter?: true;
  /**
   * What its response is written from beside what the request says. Providers of the caller's own format would not say it, and are asked no
   * more. Missing: who keeps the conversation tells what there is to tell.
   */
  responseFields?: Readonly<Record<string, unknown>>;
}
