// Framing of a stream's responses: events, or one JSON list written incrementally.

export interface StreamFrame {
  /** Writes one response. */
  add(json: string): string;
  /** Writes a keep-alive without content. */
  keepAlive(): string;
  /** Writes what follows the last response. */
  end(): string;
}

/** @param requested `ResponseWriterOptions.requested` */
export function createFrame(requested: Readonly<Record<string, unknown>> | undefined): StreamFrame {
  return requested?.['isList'] === true ? new ListFrame() : eventFrame;
}

const eventFrame: StreamFrame = {
  add: (json) => `data: ${json.includes('\n') ? json.replaceAll('\n', '\ndata: ') : json}\n\n`,
  keepAlive: () => ': keep-alive\n\n',
  end: () => '',
};

class ListFrame implements StreamFrame {
  #isOpen = false;

  add(json: string): string {
    const before = this.#isOpen ? ',\r\n' : '[';
    this.#isOpen = true;
    return `${before}${json}`;
  }

  keepAlive(): string {
    return '\n';
  }

  end(): string {
    return this.#isOpen ? ']\n' : '[]\n';
  }
}
