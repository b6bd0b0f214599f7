// How often calls with a known key were refused: one counter per key, reason and minute, in memory and within bounds.
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
export const keptIds = 10;
/** Of one user; further keys and reasons are counted together. */
export const mostOfUser = 50;
const mostOfAll = 10_000;
const longestModel = 120;
const longestText = 400;

export interface RefusalCounter {
  /** Unique in the log. */
  key: string;
  user: Refused['user'];
  token: Refused['token'];
  model: string;
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
  /** When its minute is over, in milliseconds. */
  endsAt: number;
}

export class RefusalCounters {
  readonly #counters = new Map<string, RefusalCounter>();
  readonly #perUser = new Map<number, number>();

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
    counter.model = storableText(refused.model, longestModel);
    counter.reason = reasonOf(refused.error);
    counter.ids.push(refused.requestId);
    if (counter.ids.length > keptIds) counter.ids.shift();
  }

  forget({ key, user }: RefusalCounter): void {
    this.#counters.delete(key);
    const left = (this.#perUser.get(user.id) ?? 1) - 1;
    if (left > 0) this.#perUser.set(user.id, left);
    else this.#perUser.delete(user.id);
  }

  #counterOf(refused: Refused, at: number): RefusalCounter | null {
    const minute = Math.floor(at / minuteMs);
    const { user, token, error } = refused;
    const key = `${user.id}:${token.id}:${error.code}:${minute}`;
    const known = this.#counters.get(key);
    if (known !== undefined) return known;
    const own = this.#perUser.get(user.id) ?? 0;
    if (own >= mostOfUser && token.id !== 0) return this.#counterOf({ ...refused, token: { id: 0, name: '', group: '' } }, at);
    // One per reason at most, which is a closed list.
    if (this.#counters.size >= mostOfAll + (token.id === 0 ? mostOfAll : 0)) return null;
    const seconds = Math.floor(at / 1000);
    const endsAt = (minute + 1) * minuteMs;
    const counter: RefusalCounter = {
      key,
      user,
      token,
      model: '',
      reason: reasonOf(error),
      firstAt: seconds,
      lastAt: seconds,
      count: 0,
      ids: [],
      isWritten: false,
      endsAt,
    };
    this.#counters.set(key, counter);
    this.#perUser.set(user.id, own + 1);
    return counter;
  }
}

function reasonOf({ code, status, details }: AppError): Reason {
  const text = (language: 'zh' | 'en') => storableText(errorText(code, language, details), longestText);
  return { code, status, text: { zh: text('zh'), en: text('en') } };
}
