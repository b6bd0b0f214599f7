// Counts refused calls with a known key in memory: one counter per key, reason, model and minute, within limits.
import { type AppError, type ErrorCode, errorText } from '#shared/errors.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storableText } from '#server/db/storable.ts';

export interface Refused {
  user: Pick<UserRecord, 'id' | 'username' | 'group'>;
  token: Pick<TokenRecord, 'id' | 'name' | 'group'>;
  /** Requested model; empty if not known yet. */
  model: string;
  requestId: string;
  error: AppError;
}

export interface Reason {
  code: ErrorCode;
  status: number;
  text: { zh: string; en: string };
}

const minuteMs = 60_000;
/** Request ids stored in a row, the newest ones; others are stored separately. */
export const storedIds = 10;
/** Maximum counters of a user; further keys and reasons share one. */
export const mostOfUser = 50;
/** Maximum counters of single models among those; further models share one per key and reason. */
const mostModelsOfUser = 25;
/** Maximum unknown models per key and minute, which callers can invent. */
export const mostUnknownModels = 3;
const mostOfAll = 10_000;
const longestModel = 120;
const longestText = 400;

export interface RefusalCounter {
  /** Unique key in the log. */
  key: string;
  user: Refused['user'];
  token: Refused['token'];
  /** Empty if none was requested, or several share the counter. */
  model: string;
  /** The counter is shared by models without their own. */
  isOthers: boolean;
  /** Reason of the newest; the error itself may be large. */
  reason: Reason;
  /** Unix seconds of the first and the last. */
  firstAt: number;
  lastAt: number;
  /** Refusals not written yet. */
  count: number;
  /** The newest ids, written or not. */
  ids: string[];
  isWritten: boolean;
  /** Key and minute whose unknown models it counts towards; empty if none. */
  unknownOf: string;
  /** End of its minute, in milliseconds. */
  endsAt: number;
}

export class RefusalCounters {
  readonly #counters = new Map<string, RefusalCounter>();
  readonly #perUser = new Map<number, number>();
  /** Numbers of single models: per user, and unknown ones per key and minute. */
  readonly #models = new Map<number, number>();
  readonly #unknown = new Map<string, number>();
  readonly #isServed: (model: string) => boolean;

  /** @param isServed reports whether an enabled channel has the model */
  constructor(isServed: (model: string) => boolean) {
    this.#isServed = isServed;
  }

  get size(): number {
    return this.#counters.size;
  }

  values(): Iterable<RefusalCounter> {
    return this.#counters.values();
  }

  /** Counts a refusal within the limits. `at`: milliseconds. */
  count(refused: Refused, at: number): void {
    const counter = this.#counterOf(refused, at);
    if (counter === null) return;
    counter.count += 1;
    counter.lastAt = Math.floor(at / 1000);
    counter.reason = reasonOf(refused.error);
    counter.ids.push(refused.requestId);
    if (counter.ids.length > storedIds) counter.ids.shift();
  }

  forget({ key, user, model, unknownOf }: RefusalCounter): void {
    this.#counters.delete(key);
    add(this.#perUser, user.id, -1);
    if (model !== '') add(this.#models, user.id, -1);
    if (unknownOf !== '') add(this.#unknown, unknownOf, -1);
  }

  #counterOf(refused: Refused, at: number): RefusalCounter | null {
    const { user, token, error } = refused;
    const minute = Math.floor(at / minuteMs);
    const shared = `${user.id}:${token.id}:${error.code}:${minute}`;
    const model = storableText(refused.model, longestModel);
    if (model === '') return this.#sharedCounter(refused, at, { key: shared, isOthers: false });
    const key = `${shared}:${model}`;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const unknownOf = this.#isServed(refused.model) ? '' : `${user.id}:${token.id}:${minute}`;
    const hasRoom =
      (this.#models.get(user.id) ?? 0) < mostModelsOfUser &&
      (this.#perUser.get(user.id) ?? 0) < mostOfUser &&
      this.#counters.size < mostOfAll &&
      (unknownOf === '' || (this.#unknown.get(unknownOf) ?? 0) < mostUnknownModels);
    if (!hasRoom) return this.#sharedCounter(refused, at, { key: `${shared};others`, isOthers: true });
    add(this.#models, user.id, 1);
    if (unknownOf !== '') add(this.#unknown, unknownOf, 1);
    return this.#begin(refused, at, { key, model, isOthers: false, unknownOf });
  }

  /** Shared counter for calls without a model, or beyond the limits. */
  #sharedCounter(refused: Refused, at: number, { key, isOthers }: Pick<RefusalCounter, 'key' | 'isOthers'>): RefusalCounter | null {
    const { user, token } = refused;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const own = this.#perUser.get(user.id) ?? 0;
    if (own >= mostOfUser && token.id !== 0) return this.#counterOf({ ...refused, token: { id: 0, name: '', group: '' } }, at);
    // Bounded: at most one per reason, a closed list.
    if (this.#counters.size >= mostOfAll + (token.id === 0 ? mostOfAll : 0)) return null;
    return this.#begin(refused, at, { key, model: '', isOthers, unknownOf: '' });
  }

  #begin(
    { user, token, error }: Refused,
    at: number,
    kind: Pick<RefusalCounter, 'key' | 'model' | 'isOthers' | 'unknownOf'>,
  ): RefusalCounter {
    const seconds = Math.floor(at / 1000);
    const endsAt = (Math.floor(at / minuteMs) + 1) * minuteMs;
    const counter: RefusalCounter = {
      ...kind,
      user,
      token,
      reason: reasonOf(error),
      firstAt: seconds,
      lastAt: seconds,
      count: 0,
      ids: [],
      isWritten: false,
      endsAt,
    };
    this.#counters.set(kind.key, counter);
    add(this.#perUser, user.id, 1);
    return counter;
  }
}

/** Removes a count of zero. */
function add<Key>(counts: Map<Key, number>, key: Key, count: 1 | -1): void {
  const sum = (counts.get(key) ?? 0) + count;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}

function reasonOf({ code, status, details }: AppError): Reason {
  const text = (language: 'zh' | 'en') => storableText(errorText(code, language, details), longestText);
  return { code, status, text: { zh: text('zh'), en: text('en') } };
}
