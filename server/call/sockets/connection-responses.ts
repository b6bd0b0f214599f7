// Stores the responses of a connection, so that its next call sends only new items. Each response is stored as the JSON that it
// adds to the one before. Limited per connection, per user and in total: clients send the whole conversation if a response was
// evicted.
import { jsonSize } from '#server/framing/part-budget.ts';
import { createShares } from '#server/queues/shares.ts';

export interface ConnectionResponses {
  /** Returns a stored response, which is retained until `release`; undefined if it is not stored. */
  take(id: string): ConnectionResponse | undefined;
  release(response: ConnectionResponse): void;
  /**
   * Stores a response.
   * @param response `before`: response that it continues, taken and not released yet; `items`: JSON of the items that it adds,
   * without brackets
   */
  store(id: string, response: { before: ConnectionResponse | null; items: string }): void;
  /** Removes all responses when the connection is closed. */
  clear(): void;
}

export interface ConnectionResponse {
  /** Bytes of the whole conversation up to here. */
  readonly bytes: number;
  /** Number of objects, arrays, texts and names in the whole conversation. */
  readonly parts: number;
  readonly before: ConnectionResponse | null;
  readonly items: string;
}

export interface ConnectionCapacity {
  open(userId: number): ConnectionResponses;
  /** Bytes of all stored responses. */
  readonly bytes: number;
}

export interface ConnectionLimits {
  /** Maximum responses of a connection. */
  perConnection: number;
  /** Maximum bytes of one user, and of all users. */
  perUser: number;
  all: number;
}

const megabyte = 1024 * 1024;
const usualLimits: ConnectionLimits = { perConnection: 64, perUser: 64 * megabyte, all: 512 * megabyte };
/** Approximate bytes of an entry in addition to its text. */
const entryBytes = 200;

/** Reference counts: by the store, later responses and calls. */
type Holders = WeakMap<ConnectionResponse, number>;

/** Creates the stores of all connections of the process. */
export function createConnectionResponses({ perConnection, perUser, all }: ConnectionLimits = usualLimits): ConnectionCapacity {
  const shares = createShares<number>();
  const holders: Holders = new WeakMap();

  function hold(response: ConnectionResponse): void {
    holders.set(response, (holders.get(response) ?? 0) + 1);
  }

  function release(userId: number, response: ConnectionResponse): void {
    for (let one: ConnectionResponse | null = response; one !== null; one = one.before) {
      const left = (holders.get(one) ?? 0) - 1;
      holders.set(one, left);
      if (left > 0) return;
      shares.add(userId, -entrySize(one));
    }
  }

  return {
    get bytes() {
      return shares.total;
    },
    open(userId) {
      const byId = new Map<string, ConnectionResponse>();

      function forget(id: string): void {
        const response = byId.get(id);
        byId.delete(id);
        if (response !== undefined) release(userId, response);
      }

      return {
        take(id) {
          const response = byId.get(id);
          if (response !== undefined) hold(response);
          return response;
        },
        release: (response) => release(userId, response),
        store(id, { before, items }) {
          if (id === '') return;
          forget(id);
          const response: ConnectionResponse = {
            before,
            items,
            bytes: (before?.bytes ?? 0) + items.length,
            parts: (before?.parts ?? 0) + jsonSize(items).parts,
          };
          hold(response);
          if (before !== null) hold(before);
          shares.add(userId, entrySize(response));
          byId.set(id, response);
          // Evicts the oldest responses, if necessary including the new one.
          for (const oldest of byId.keys()) {
            if (byId.size <= perConnection && shares.fits(userId, 0, { perOwner: perUser, all })) break;
            forget(oldest);
          }
        },
        clear() {
          for (const id of byId.keys()) forget(id);
        },
      };
    },
  };
}

/** Returns the approximate bytes of an entry: most texts take one byte per character. */
function entrySize({ items }: ConnectionResponse): number {
  return items.length + entryBytes;
}

/** Parses all items of the conversation up to this response. */
export function itemsUpTo(response: ConnectionResponse): unknown[] {
  const texts: string[] = [];
  for (let one: ConnectionResponse | null = response; one !== null; one = one.before) if (one.items !== '') texts.push(one.items);
  const items: unknown = JSON.parse(`[${texts.toReversed().join(',')}]`);
  return Array.isArray(items) ? items : [];
}

/** Returns the JSON of a list without its brackets. */
export function listText(items: readonly unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}
