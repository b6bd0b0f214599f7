// How the responses of a stream follow each other: as events, or as one list that is written bit by bit.

export interface StreamFrame {
  /** One response, as JSON. */
  add(json: string): string;
  /** Says nothing, so that the connection is seen to be alive. */
  keepAlive(): string;
  /** What stands behind the last one. */
  end(): string;
}

/** @param asked `ResponseWriterOptions.asked` */
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
