// Rate limits of a batch: its requests and tokens count in hours and days when it is created, by the estimates of its lines. Minutes and parallel calls
// do not apply, because the provider decides when it works on a batch.
import type { Admission } from '#server/call/admission/admission.ts';
import { type LimitSet, longestAnswer } from '#server/rate-limits/bound-limits.ts';
import { promptTooLong } from '#server/rate-limits/limit-errors.ts';
import type { RateLimits } from '#server/rate-limits/rate-limits.ts';

export class BatchLimits {
  readonly #rateLimits: RateLimits;
  readonly #admission: Admission;
  /** Null if there are none; undefined before the first line, which names the model. */
  #limits: LimitSet | null | undefined;
  #requests = 0;
  #tokens = 0;

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
   * @throws {AppError} `rate_limit_exceeded`, `rate_limit_too_small`, and what `create` throws
   */
  async within<Created>(create: () => Promise<Created>): Promise<Created> {
    const counted = this.#limits?.counted.filter(({ limit }) => 'per' in limit && limit.per !== 'minute') ?? [];
    if (counted.length === 0) return create();
    const limits = { counted, prompts: [], answers: [], isForAll: true };
    const amounts = { requests: this.#requests, tokens: this.#tokens, input: this.#tokens, isParallel: false, isWhole: true };
    const permit = await this.#rateLimits.enter(limits, amounts);
    try {
      const created = await create();
      permit.settle(this.#tokens);
      permit.end(true);
      return created;
    } catch (failure) {
      permit.end(false);
      throw failure;
    }
  }
}
