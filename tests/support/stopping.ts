// Process that stops during its work, and does not learn the outcome.
import type { Database } from '#server/db/database.ts';
import type { Ledger } from '#server/money/ledger.ts';

/** Verbs by their collections. */
export type Steps = Readonly<Record<string, readonly string[]>>;

const stopped = 'The process has stopped';

/** A process that stops behind one step, whose number counts from one. */
export class Stopping {
  readonly #at: number;
  readonly #steps: Steps;
  #count = 0;

  /** @param steps operations that count, in addition to charges and changes of balances */
  constructor(at: number, steps: Steps) {
    this.#at = at;
    this.#steps = steps;
  }

  get hasStopped(): boolean {
    return this.#count >= this.#at;
  }

  async step<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.hasStopped) throw new Error(stopped);
    this.#count += 1;
    const result = await work();
    if (this.hasStopped) throw new Error(stopped);
    return result;
  }

  database(db: Database): Database {
    return instead(db, {
      collection: (name: string) => {
        const collection: object = db.collection(name as 'vector_stores');
        const verbs = (this.#steps[name] ?? []).map((verb) => [
          verb,
          (...given: unknown[]) => this.step(() => Reflect.get(collection, verb).apply(collection, given)),
        ]);
        return verbs.length === 0 ? collection : instead(collection, Object.fromEntries(verbs));
      },
    });
  }

  ledger(ledger: Ledger): Ledger {
    const change: Ledger['change'] = (request) => this.step(() => ledger.change(request));
    const settle: Ledger['settle'] = (...given) => this.step(() => ledger.settle(...given));
    return instead(ledger, { change, settle });
  }
}

/** The same object with other members. */
function instead<Target extends object>(target: Target, members: object): Target {
  return new Proxy(target, {
    get: (_target, name) => {
      const found: unknown = name in members ? Reflect.get(members, name) : Reflect.get(target, name, target);
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
}
