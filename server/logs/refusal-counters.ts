// How often calls with a known key were refused: one counter per key, reason, model and minute, in memory and within bounds.
import { errorText } from '#shared/errors.ts';
import type { AppError, ErrorCode } from '#shared/errors.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { storableText } from '#server/db/storable.ts';

export interface Refused {
  user: Pick<UserRecord, 'id' | 'username' | 'group'>;
  token: Pick<TokenRecord, 'id' | 'name' | 'group'>;
  /** What was asked for; empty: that was not known yet. */
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
/** The newest of a row; each can be found by its id. */
export const storedIds = 10;
/** Of one user; further keys and reasons are counted together. */
export const mostOfUser = 50;
/** Of those, counters of single models; further models of a key and reason are counted together. */
const mostModelsOfUser = 25;
/** Of a key in a minute, models that do not exist: anybody can name any number of them. */
export const mostUnknownModels = 3;
const mostOfAll = 10_000;
const longestModel = 120;
const longestText = 400;

export interface RefusalCounter {
  /** Unique in the log. */
  key: string;
  user: Refused['user'];
  token: Refused['token'];
  /** Empty: none was named, or there were several. */
  model: string;
  /** Models that have no counter of their own. */
  isOthers: boolean;
  /** Of the newest; the error itself may hold much. */
  reason: Reason;
  /** Unix seconds of the first and of the last. */
  firstAt: number;
  lastAt: number;
  /** Not written yet. */
  count: number;
  /** The newest, written or not. */
  ids: string[];
  isWritten: boolean;
  /** Whose unknown models it is one of; empty: of nobody's. */
  unknownOf: string;
  /** When its minute is over, in milliseconds. */
  endsAt: number;
}

export class RefusalCounters {
  readonly #counters = new Map<string, RefusalCounter>();
  readonly #perUser = new Map<number, number>();
  /** Single models: of users, and those that do not exist of keys and minutes. */
  readonly #models = new Map<number, number>();
  readonly #unknown = new Map<string, number>();
  readonly #isServed: (model: string) => boolean;

  /** `isServed`: whether any channel in use has the model. */
  constructor(isServed: (model: string) => boolean) {
    this.#isServed = isServed;
  }

  get size(): number {
    return this.#counters.size;
  }

  values(): Iterable<RefusalCounter> {
    return this.#counters.values();
  }

  /** `at`: milliseconds. Beyond the bounds nothing is counted. */
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

  /** Of calls that name no model, or models beyond the bounds. */
  #sharedCounter(refused: Refused, at: number, { key, isOthers }: Pick<RefusalCounter, 'key' | 'isOthers'>): RefusalCounter | null {
    const { user, token } = refused;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const own = this.#perUser.get(user.id) ?? 0;
    if (own >= mostOfUser && token.id !== 0) return this.#counterOf({ ...refused, token: { id: 0, name: '', group: '' } }, at);
    // One per reason at most, which is a closed list.
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

/** What comes to nothing leaves nothing. */
function add<Key>(counts: Map<Key, number>, key: Key, count: 1 | -1): void {
  const sum = (counts.get(key) ?? 0) + count;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}

function reasonOf({ code, status, details }: AppError): Reason {
  const text = (language: 'zh' | 'en') => storableText(errorText(code, language, details), longestText);
  return { code, status, text: { zh: text('zh'), en: text('en') } };
}
