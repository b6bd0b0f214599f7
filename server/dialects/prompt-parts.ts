// What of a request counts as prompt tokens: its texts, and fixed numbers for everything else.

export interface PromptParts {
  texts: string[];
  /** Tokens of framing, images, audio and files. */
  fixed: number;
  /** Those of images, audio and files alone: a guess, since nobody looks into them. */
  media: number;
}
