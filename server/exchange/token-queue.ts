// Queue of texts to count. Users take turns, one slice of text each, so a long prompt delays no one. Counts that wait
// too long, or exceed the capacity, are estimated.
import { createShares } from '#server/queues/shares.ts';
import { createTurnQueue } from '#server/queues/turn-queue.ts';

export interface Count {
  tokens: number;
  /** Whether a part was estimated. */
  isEstimated: boolean;
}

export interface CountOrder<Encoding> {
  /** User whose share is used. */
  owner: number;
  encoding: Encoding;
  texts: readonly string[];
}

export interface TokenQueueOptions<Encoding> {
  /** Counts a slice; null if it fails. One slice is in flight at a time. */
  count(encoding: Encoding, texts: readonly string[]): Promise<number | null>;
  estimate(text: string): number;
}

interface Job<Encoding> extends CountOrder<Encoding> {
  /** Position of the next slice: text and offset. */
  index: number;
  offset: number;
  /** Start of the slice being counted. */
  slice: { index: number; offset: number };
  tokens: number;
  characters: number;
  isOver: boolean;
  timer: NodeJS.Timeout;
  resolve(count: Count): void;
}

/** Maximum characters and texts of one slice. */
export const sliceCharacters = 64 * 1024;
const sliceTexts = 1_000;
/** Maximum wait for an exact count. */
export const deadlineMs = 15_000;
/** Maximum waiting characters in total and per user, and counts per user. */
export const mostWaiting = 32 * 1024 * 1024;
export const mostOfOwner = mostWaiting / 4;
const mostJobsOfOwner = 1_000;

export class TokenQueue<Encoding> {
  readonly #options: TokenQueueOptions<Encoding>;
  readonly #jobs = createTurnQueue<number, Job<Encoding>>();
  readonly #characters = createShares<number>();
  readonly #counts = createShares<number>();
  #isCounting = false;

  constructor(options: TokenQueueOptions<Encoding>) {
    this.#options = options;
  }

  /** Number of texts that wait to be counted. */
  get waiting(): number {
    return this.#jobs.size;
  }

  /** Never rejects. */
  count(order: CountOrder<Encoding>): Promise<Count> {
    const characters = order.texts.reduce((sum, text) => sum + text.length, 0);
    if (characters === 0) return Promise.resolve({ tokens: 0, isEstimated: false });
    const { owner } = order;
    const fits = this.#characters.fits(owner, characters, { all: mostWaiting, perOwner: mostOfOwner });
    if (!fits || !this.#counts.fits(owner, 1, { perOwner: mostJobsOfOwner })) {
      return Promise.resolve({ tokens: this.#estimate(order.texts), isEstimated: true });
    }
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#giveUp(job), deadlineMs);
      timer.unref();
      const job: Job<Encoding> = {
        ...order,
        index: 0,
        offset: 0,
        slice: { index: 0, offset: 0 },
        tokens: 0,
        characters,
        isOver: false,
        timer,
        resolve,
      };
      this.#jobs.add(order.owner, job);
      this.#characters.add(owner, characters);
      this.#counts.add(owner, 1);
      if (!this.#isCounting) void this.#run();
    });
  }

  /** Estimates everything that waits. */
  close(): void {
    for (const job of this.#jobs.all()) this.#giveUp(job);
  }

  async #run(): Promise<void> {
    this.#isCounting = true;
    for (let turn = this.#jobs.first(); turn !== undefined; turn = this.#jobs.first()) {
      const { owner, item: job } = turn;
      const tokens = await this.#options.count(job.encoding, takeSlice(job)).catch(() => null);
      if (tokens === null) this.#giveUp(job);
      else if (!job.isOver) this.#add(job, tokens);
      this.#jobs.passOn(owner);
    }
    this.#isCounting = false;
  }

  #add(job: Job<Encoding>, tokens: number): void {
    job.tokens += tokens;
    job.slice = { index: job.index, offset: job.offset };
    if (job.index >= job.texts.length) this.#end(job, { tokens: job.tokens, isEstimated: false });
  }

  #giveUp(job: Job<Encoding>): void {
    const [current = '', ...rest] = job.texts.slice(job.slice.index);
    this.#end(job, { tokens: job.tokens + this.#estimate([current.slice(job.slice.offset), ...rest]), isEstimated: true });
  }

  #end(job: Job<Encoding>, count: Count): void {
    if (job.isOver) return;
    job.isOver = true;
    clearTimeout(job.timer);
    this.#characters.add(job.owner, -job.characters);
    this.#counts.add(job.owner, -1);
    this.#jobs.remove(job.owner, job);
    job.resolve(count);
  }

  #estimate(texts: readonly string[]): number {
    return texts.reduce((sum, text) => sum + this.#options.estimate(text), 0);
  }
}

/** Takes the next texts, or parts of texts; only one slice at a time is copied to the worker. */
function takeSlice(job: Job<unknown>): string[] {
  const slice: string[] = [];
  for (let left = sliceCharacters; left > 0 && slice.length < sliceTexts && job.index < job.texts.length;) {
    const text = job.texts[job.index] ?? '';
    const piece = text.slice(job.offset, job.offset + left);
    slice.push(piece);
    left -= piece.length;
    job.offset += piece.length;
    if (job.offset < text.length) break;
    job.index += 1;
    job.offset = 0;
  }
  return slice;
}
