// Detects the end of a JSON object that arrives in pieces; reads every character once and stores none.

export class JsonProgress {
  #depth = 0;
  #hasBegun = false;
  #isInText = false;
  #isEscaped = false;

  get isComplete(): boolean {
    return this.#hasBegun && this.#depth === 0;
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) this.#next(piece.charCodeAt(at));
  }

  #next(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInText) {
      if (code === backslash) this.#isEscaped = true;
      else if (code === quote) this.#isInText = false;
    } else if (code === quote) this.#isInText = true;
    else if (code === openingBrace || code === openingBracket) {
      this.#depth += 1;
      this.#hasBegun = true;
    } else if (code === closingBrace || code === closingBracket) this.#depth -= 1;
  }
}

const [quote, backslash, openingBracket, closingBracket, openingBrace, closingBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
