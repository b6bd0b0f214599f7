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
