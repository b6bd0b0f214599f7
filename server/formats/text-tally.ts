// Counts tokens of model output in constant memory: text beyond a limit is counted in the background and dropped.

/** Maximum characters of buffered text. */
const textLimit = 48 * 1024;
/** Characters that are estimated together, because estimates round up and deltas are short. */
const estimatedTogether = 512;

export interface TextTallyOptions {
  /** Counts tokens of a text; never rejects. */
  countText(text: string): Promise<number>;
  /** Estimates tokens synchronously. */
  estimateText(text: string): number;
}

export class TextTally {
  readonly #options: TextTallyOptions;
  #text = '';
  #counted: Promise<number>[] = [];
  #estimate = 0;
  /** Text not estimated yet. */
  #fresh = '';

  constructor(options: TextTallyOptions) {
    this.#options = options;
  }

  add(text: string): void {
    this.#fresh += text;
    if (this.#fresh.length >= estimatedTogether) {
      this.#estimate += this.#options.estimateText(this.#fresh);
      this.#fresh = '';
    }
    this.#text += text;
    if (this.#text.length < textLimit) return;
    this.#counted.push(this.#options.countText(this.#text));
    this.#text = '';
  }

  get roughTokens(): number {
    return this.#estimate + (this.#fresh === '' ? 0 : this.#options.estimateText(this.#fresh));
  }

  async countTokens(): Promise<number> {
    const rest = this.#text === '' ? [] : [this.#options.countText(this.#text)];
    const counts = await Promise.all([...this.#counted, ...rest]);
    return counts.reduce((sum, count) => sum + count, 0);
  }

  clear(): void {
    this.#text = '';
    this.#fresh = '';
  }
}
