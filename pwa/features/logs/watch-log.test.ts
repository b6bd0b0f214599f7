import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ServerEvent } from '#pwa/api/event-stream.ts';
import { pollMs, watchLog } from './watch-log.ts';

interface Stream {
  after: string | undefined;
  signal: AbortSignal;
  say: (event: ServerEvent) => void;
  end: (failure?: Error) => void;
}

const event = (name: string, id?: string): ServerEvent => ({ name, id, data: '[]' });
let streams: Stream[];
let looks: number;
let stop: AbortController;
let refuses: boolean;
let watching: Promise<void>;

function setVisible(isVisible: boolean): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isVisible ? 'visible' : 'hidden');
  document.dispatchEvent(new Event('visibilitychange'));
}

async function* open(after: string | undefined, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const said: ServerEvent[] = [];
  let failure: Error | undefined;
  let isOver = false;
  let wake = (): void => {};
  const stream: Stream = {
    after,
    signal,
    say: (one) => {
      said.push(one);
      wake();
    },
    end: (cause) => {
      failure = cause;
      isOver = true;
      wake();
    },
  };
  streams.push(stream);
  if (refuses) throw new Error('refused');
  signal.addEventListener('abort', () => stream.end(new Error('aborted')));
  for (;;) {
    const next = said.shift();
    if (next !== undefined) yield next;
    else if (failure !== undefined) throw failure;
    else if (isOver) return;
    else await new Promise<void>((resolve) => (wake = resolve));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  streams = [];
  looks = 0;
  refuses = false;
  stop = new AbortController();
  setVisible(true);
  watching = watchLog({
    events: open,
    look: async () => {
      looks += 1;
    },
    signal: stop.signal,
  });
});
afterEach(async () => {
  stop.abort();
  await vi.advanceTimersByTimeAsync(0);
  await watching;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const turn = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

describe('watching the log', () => {
  test('looks when the stream opens and at every event, and never by the clock', async () => {
    await turn();
    expect(looks).toBe(0);
    streams[0]?.say(event('open'));
    await turn();
    expect(looks).toBe(1);
    await turn(60 * pollMs);
    expect(looks).toBe(1);
    streams[0]?.say(event('rows', 'c1'));
    await turn();
    expect(looks).toBe(2);
    expect(streams).toHaveLength(1);
  });

  test('nobody looks: the stream is closed, and goes on where it stood', async () => {
    await turn();
    streams[0]?.say(event('rows', 'c7'));
    await turn();
    setVisible(false);
    await turn(600_000);
    expect(streams[0]?.signal.aborted).toBe(true);
    expect(streams).toHaveLength(1);
    expect(looks).toBe(1);
    setVisible(true);
    await turn();
    expect(streams[1]?.after).toBe('c7');
  });

  test('a stream that the server ends after its time is opened again where it stood, as often as it happens', async () => {
    for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) {
      await turn();
      streams.at(-1)?.say(event('rows', id));
      await turn(600_000);
      streams.at(-1)?.end();
      const known = looks;
      await turn(5_000);
      // What came between the two.
      expect(looks).toBeGreaterThan(known);
      expect(streams.at(-1)?.after).toBe(id);
    }
    expect(streams).toHaveLength(6);
  });

  test('where streams are refused or cut, it asks again and again, and tries a stream once in a while', async () => {
    refuses = true;
    streams[0]?.end(new Error('cut'));
    await turn(60_000);
    const tried = streams.length;
    expect(tried).toBe(2);
    const known = looks;
    await turn(10 * pollMs);
    expect(looks).toBe(known + 10);
    expect(streams).toHaveLength(tried);
    refuses = false;
    await turn(120_000);
    expect(streams).toHaveLength(tried + 1);
    const before = looks;
    await turn(40_000);
    expect(looks).toBe(before);
    // The stream holds: polling ends, and the next end is no failure.
    streams.at(-1)?.end(new Error('cut'));
    await turn(5_000);
    expect(streams).toHaveLength(tried + 2);
  });

  test('while it asks again and again: not when nobody looks', async () => {
    refuses = true;
    streams[0]?.end(new Error('cut'));
    await turn(60_000);
    setVisible(false);
    await turn(10_000);
    const known = looks;
    await turn(600_000);
    expect(looks).toBe(known);
  });

  test('the session is over: no further stream', async () => {
    await turn();
    streams[0]?.say(event('end'));
    await turn(600_000);
    expect(streams).toHaveLength(1);
    await watching;
  });
});
