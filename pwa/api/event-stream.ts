// Server-sent events of our own server. `EventSource` would report neither why a stream was refused nor that no data arrives any more: some proxies
// buffer a stream until it ends.
import { actingHeader } from './acting.ts';
import { type AnyEndpoint, endpointUrl, requestHeaders } from './call.ts';

export interface ServerEvent {
  /** `open`: the server has answered. */
  name: string;
  id: string | undefined;
  data: string;
}

interface EventsInput {
  query: Record<string, string | number | boolean | undefined>;
  signal: AbortSignal;
  /** Milliseconds without a byte after which the stream is given up. The server says something all the time. */
  quietMs: number;
}

/** Until the server ends the stream. Throws when it is refused or cut. */
export async function* readEvents(endpoint: AnyEndpoint, { query, signal, quietMs }: EventsInput): AsyncGenerator<ServerEvent> {
  const given = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => given.abort(new Error('The stream is silent')), quietMs);
  };
  heard();
  try {
    const response = await fetch(endpointUrl(endpoint, { query }), {
      headers: { ...requestHeaders(false), ...actingHeader(endpoint), Accept: 'text/event-stream' },
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.any([signal, given.signal]),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!response.ok || !isStream || response.body === null) throw new Error(`The stream was refused: ${response.status}`);
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    yield { name: 'open', id: undefined, data: '' };
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = eventOf(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    clearTimeout(timer);
    // Leaving the loop early ends the request too.
    given.abort();
  }
}

/** Only what our server sends: one line of each field. */
function eventOf(block: string): ServerEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
  );
  const name = fields.get('event');
  return name === undefined ? undefined : { name, id: fields.get('id'), data: fields.get('data') ?? '' };
}
