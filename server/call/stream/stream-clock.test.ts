import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStreamClock, type StreamClock, type TimedStream } from './stream-clock.ts';

interface Named extends TimedStream {
  name: string;
}

describe('stream clock', () => {
  let clock: StreamClock;
  /** Who had a turn, in order. */
  let turns: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    turns = [];
    clock = createStreamClock();
  });
  afterEach(() => {
    clock.stop();
    vi.useRealTimers();
  });

  function open(names: string, onTick: (stream: Named, of: (name: string) => Named) => void = () => undefined): (name: string) => Named {
    const streams = new Map<string, Named>();
    const of = (name: string): Named => {
      const stream = streams.get(name);
      if (stream === undefined) throw new Error(`There is no stream ${name}`);
      return stream;
    };
    for (const name of names) {
      const stream: Named = {
        name,
        clockPlace: -1,
        tick() {
          turns.push(name);
          onTick(stream, of);
        },
      };
      streams.set(name, stream);
      clock.add(stream);
    }
    return of;
  }

  /** One tick; returns who had a turn, by name. */
  function tick(): string {
    turns = [];
    vi.advanceTimersByTime(250);
    return turns.toSorted().join('');
  }

  it('gives each stream a turn about four times a second, until it is stopped', () => {
    open('abc');
    vi.advanceTimersByTime(1_000);
    expect(turns.toSorted().join('')).toBe('aaaabbbbcccc');
    clock.stop();
    expect(tick()).toBe('');
  });

  it('lets received data be read first after the process was suspended', async () => {
    clock.stop();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    clock = createStreamClock();
    open('a', () => turns.push('ticked'));
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
    vi.advanceTimersByTime(250);
    turns.push('read');
    await new Promise(setImmediate);
    now.mockRestore();
    expect(turns).toEqual(['read', 'a', 'ticked']);
  });

  it('holds a stream once, however often it is added or removed', () => {
    const of = open('ab');
    clock.add(of('a'));
    expect([clock.size, tick()]).toEqual([2, 'ab']);
    clock.remove(of('a'));
    clock.remove(of('a'));
    expect([clock.size, tick(), of('a').clockPlace]).toEqual([1, 'b', -1]);
    clock.add(of('a'));
    expect([clock.size, tick()]).toEqual([2, 'ab']);
    clock.remove(of('b'));
    clock.remove(of('a'));
    expect([clock.size, tick()]).toEqual([0, '']);
  });

  it.each(['a', 'b', 'c', 'd', 'e', 'ae', 'bd', 'abcde'])(
    'lets %s be removed during its turn, without skipping another stream',
    (leaving) => {
      open('abcde', (stream) => {
        if (leaving.includes(stream.name)) clock.remove(stream);
      });
      expect(tick()).toBe('abcde');
      expect(tick()).toBe([...'abcde'].filter((name) => !leaving.includes(name)).join(''));
    },
  );

  it('skips no remaining stream, whichever stream removes another', () => {
    const names = [...'abcde'];
    for (const actor of names) {
      // Every set of streams, the one whose turn it is among them.
      for (let set = 1; set < 2 ** names.length; set += 1) {
        const removed = names.filter((_, at) => (set & (1 << at)) !== 0);
        for (const order of [removed, removed.toReversed()]) {
          const of = open(names.join(''), (stream, find) => {
            if (stream.name === actor) for (const name of order) clock.remove(find(name));
          });
          const stored = names.filter((name) => !removed.includes(name));
          tick();
          expect(turns, `${actor} removes ${order.join('')}`).toEqual(expect.arrayContaining(stored));
          expect(clock.size).toBe(stored.length);
          expect(new Set(tick()), `after ${actor} removed ${order.join('')}`).toEqual(new Set(stored));
          for (const name of names) clock.remove(of(name));
        }
      }
    }
  });

  it('gives a stream added during a tick its first turn in the next one, also in the slot of a removed stream', () => {
    let isFirst = true;
    open('abc', (stream) => {
      if (stream.name !== 'b' || !isFirst) return;
      isFirst = false;
      clock.remove(stream);
      open('x');
    });
    expect(tick()).toBe('abc');
    expect(tick()).toBe('acx');
  });
});
