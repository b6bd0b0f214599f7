// Rate limits of a batch: its requests and tokens count in hours and days when it is created, by the estimates of its lines, which its results replace.
// Minutes and parallel calls do not apply, because the provider decides when it works on a batch.
import type { Admission } from '#server/call/admission/admission.ts';
import { type LimitSet, longestAnswer } from '#server/rate-limits/bound-limits.ts';
import { promptTooLong } from '#server/rate-limits/limit-errors.ts';
import { type CountedWork, settleLater } from '#server/rate-limits/settle-later.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import type { RateLimits } from '#server/rate-limits/rate-limits.ts';

/** What the limits have counted of a batch. */
export interface BatchCount {
  /** Returns the fields to store with the batch, whose end then settles its tokens. */
  handOver(): Pick<BatchRecord, 'counted'>;
}

export class BatchLimits {
  readonly #rateLimits: RateLimits;
  readonly #admission: Admission;
  /** Null if there are none; undefined before the first line, which names the model. */
  #limits: LimitSet | null | undefined;
  #requests = 0;
  #tokens = 0;
  #isHandedOver = false;

  constructor(rateLimits: RateLimits, admission: Admission) {
    this.#rateLimits = rateLimits;
    this.#admission = admission;
  }

  /**
   * Adds a line; returns the limit of its answer, if it has one.
   * @throws {AppError} `context_length_exceeded`
   */
  add(model: string, { input, tokens, choices }: { input: number; tokens: number; choices: number }): number | undefined {
    this.#limits ??= this.#rateLimits.of(this.#admission, model);
    this.#requests += 1;
    this.#tokens += tokens;
    if (this.#limits === null) return undefined;
    for (const bound of this.#limits.prompts) if (input > bound.limit.amount) throw promptTooLong(bound, input);
    return longestAnswer(this.#limits, choices);
  }

  /**
   * Creates the batch if its requests and tokens are left; those of one that was not created are given back.
   * @param create stores what was counted with the batch; from then on, the end of the batch settles its tokens
   * @throws {AppError} `rate_limit_exceeded`, `rate_limit_too_small`, and what `create` throws
   */
  async within<Created>(create: (counted: BatchCount) => Promise<Created>): Promise<Created> {
    const counted = this.#limits?.counted.filter(({ limit }) => 'per' in limit && limit.per !== 'minute') ?? [];
    if (counted.length === 0) return create({ handOver: () => ({}) });
    const limits = { counted, prompts: [], answers: [], isForAll: true };
    const amounts = { requests: this.#requests, tokens: this.#tokens, input: this.#tokens, isParallel: false, isWhole: true };
    const permit = await this.#rateLimits.enter(limits, amounts);
    const work: CountedWork = { windows: permit.tokenWindows, tokens: this.#tokens };
    const handOver = () => {
      this.#isHandedOver = true;
      return { counted: JSON.stringify(work) };
    };
    try {
      const created = await create({ handOver });
      permit.settle(this.#tokens);
      permit.end(true);
      return created;
    } catch (failure) {
      if (this.#isHandedOver) permit.settle(this.#tokens);
      permit.end(false);
      throw failure;
    }
  }
}

/** Share of a request in the estimate of its batch, for results without usage. */
export function estimatedTokens({ counted = '', requests }: Pick<BatchRecord, 'counted' | 'requests'>): number {
  return counted === '' ? 0 : Math.ceil(countedIn(counted).tokens / Math.max(1, requests));
}

/** Replaces the estimate of an ended batch by the usage of its results. May be repeated. */
export async function settleTokens(context: AppContext, { id, counted = '', used_tokens: used = 0 }: BatchRecord): Promise<void> {
  if (counted !== '') await settleLater(context, countedIn(counted), { name: id, used });
}

function countedIn(text: string): CountedWork {
  const work: CountedWork = JSON.parse(text);
  return work;
}
