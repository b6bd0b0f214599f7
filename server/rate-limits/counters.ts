// The counters of one process, by limit. Those with nothing to return are dropped when they are not used.
import { type BoundLimit, windowMs } from './bound-limits.ts';
import type { CounterServices, HeldCounter } from './counter-services.ts';
import { PlaceCounter } from './place-counter.ts';
import { WindowCounter } from './window-counter.ts';

type Counter = WindowCounter | PlaceCounter;

const tendEveryMs = 250;
/** Milliseconds without use after which a counter is dropped, and the number above which counters are dropped earlier. */
const unusedMs = 60_000;
const mostCounters = 20_000;
/** Shortest time between sweeps, which look at all counters. */
const sweepEveryMs = 1_000;

export class Counters {
  readonly #services: CounterServices;
  readonly #all = new Map<string, Counter>();
  readonly #held = new Set<HeldCounter>();
  #timer: NodeJS.Timeout | undefined;
  #sweptAt = performance.now();

  constructor(services: Omit<CounterServices, 'onHeld'>) {
    const { db, log, now, processId } = services;
    this.#services = {
      db,
      log,
      now,
      processId,
      onHeld: (counter) => {
        this.#held.add(counter);
        this.#start();
      },
    };
  }

  get size(): number {
    return this.#all.size;
  }

  /** Returns the counter of a limit of a window; null if the limit has none. */
  windowOf({ key, limit }: BoundLimit): WindowCounter | null {
    if (!('per' in limit)) return null;
    const known = this.#all.get(key);
    return known instanceof WindowCounter ? known : this.#add(key, new WindowCounter(this.#services, key, windowMs[limit.per]));
  }

  /** Returns the counter of a limit of parallel calls. */
  placesOf({ key }: BoundLimit): PlaceCounter {
    const known = this.#all.get(key);
    return known instanceof PlaceCounter ? known : this.#add(key, new PlaceCounter(this.#services, key));
  }

  /** Returns the leases of this process. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(Array.from(new Set([...this.#held, ...this.#all.values()]), (counter) => counter.tend(true)));
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #add<Kind extends Counter>(key: string, counter: Kind): Kind {
    if (this.#all.size >= mostCounters && performance.now() - this.#sweptAt > sweepEveryMs) this.#sweep(0);
    this.#all.set(key, counter);
    this.#start();
    return counter;
  }

  #start(): void {
    this.#timer ??= setInterval(() => void this.#tend(), tendEveryMs).unref();
  }

  async #tend(): Promise<void> {
    await Promise.all(
      Array.from(this.#held, async (counter) => {
        this.#held.delete(counter);
        if (await counter.tend(false)) this.#held.add(counter);
      }),
    );
    if (performance.now() - this.#sweptAt >= unusedMs / 4) this.#sweep(unusedMs);
    if (this.#held.size > 0 || this.#all.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sweep(unused: number): void {
    const time = performance.now();
    this.#sweptAt = time;
    for (const [key, counter] of this.#all) if (counter.isIdle && time - counter.usedAt >= unused) this.#all.delete(key);
  }
}
