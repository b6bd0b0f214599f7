// Texts that wait to be counted. Each caller has a turn after every other, for a slice of text: a long prompt holds nobody up. Who
// waits too long, or wants too much counted at once, gets an estimate.
import { createShares } from '#server/queues/shares.ts';
import { createTurnQueue } from '#server/queues/turn-queue.ts';

export interface Count {
  tokens: number;
  /** Not all of it was counted. */
  isEstimated: boolean;
}

export interface CountOrder<Encoding> {
  /** The user whose turn it takes. */
  owner: number;
  encoding: Encoding;
  texts: readonly string[];
}

export interface TokenQueueOptions<Encoding> {
  /** Counts a slice; null when it cannot. One is asked for at a time. */
  count(encoding: Encoding, texts: readonly string[]): Promise<number | null>;
  estimate(text: string): number;
}

interface Job<Encoding> extends CountOrder<Encoding> {
  /** What is counted next: a text, and where in it. */
  index: number;
  offset: number;
  /** Where the slice begins that is being counted. */
  slice: { index: number; offset: number };
  tokens: number;
  characters: number;
  isOver: boolean;
  timer: NodeJS.Timeout;
  resolve(count: Count): void;
}

/** Characters and texts of one turn. */
export const sliceCharacters = 64 * 1024;
const sliceTexts = 1_000;
/** A caller waits no longer for an exact number. */
export const deadlineMs = 15_000;
/** Characters that wait, of everybody and of one caller, and how many counts of one caller. */
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

  /** Everything that waits is estimated. */
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

/** The next texts of a job, and pieces of texts; what is counted is copied into another thread slice by slice only. */
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
