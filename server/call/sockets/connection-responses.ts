// What a connection remembers of its responses, so that the next call on it sends only what is new: each as what it adds to the one
// before, as text. Bounded for each connection, each user and all: what is given up is not found, and clients then send all of it.
import { jsonSize } from '#server/framing/part-budget.ts';
import { createShares } from '#server/queues/shares.ts';

export interface ConnectionResponses {
  /** Remembered until it is released, whatever else is given up. Undefined: it is not, or no longer, remembered. */
  take(id: string): ConnectionResponse | undefined;
  release(response: ConnectionResponse): void;
  /** @param before taken, and not yet released @param items JSON of what it adds, in order, without brackets; empty: nothing */
  keep(id: string, response: { before: ConnectionResponse | null; items: string }): void;
  /** The connection is gone. */
  clear(): void;
}

export interface ConnectionResponse {
  /** Bytes of the whole conversation up to here. */
  readonly bytes: number;
  /** Objects, arrays, texts and names in it. */
  readonly parts: number;
  readonly before: ConnectionResponse | null;
  readonly items: string;
}

export interface ConnectionCapacity {
  open(userId: number): ConnectionResponses;
  /** Remembered now, in bytes. */
  readonly bytes: number;
}

export interface ConnectionLimits {
  /** Responses of one connection. */
  perConnection: number;
  /** Bytes of one user, and of all. */
  perUser: number;
  all: number;
}

const megabyte = 1024 * 1024;
const usualLimits: ConnectionLimits = { perConnection: 64, perUser: 64 * megabyte, all: 512 * megabyte };
/** Overhead of an entry in addition to its text, roughly. */
const entryBytes = 200;

/** How many names, later responses and calls hold a response. */
type Holders = WeakMap<ConnectionResponse, number>;

/** Of all connections of the process. */
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
      shares.add(userId, -ownBytes(one));
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
        keep(id, { before, items }) {
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
          shares.add(userId, ownBytes(response));
          byId.set(id, response);
          // The oldest goes first; of itself, too, where nothing else is left.
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

/** Texts of conversations are mostly of one byte a character; others take two in memory. */
function ownBytes({ items }: ConnectionResponse): number {
  return items.length + entryBytes;
}

/** All items up to and with this one, as values. */
export function itemsUpTo(response: ConnectionResponse): unknown[] {
  const texts: string[] = [];
  for (let one: ConnectionResponse | null = response; one !== null; one = one.before) if (one.items !== '') texts.push(one.items);
  const items: unknown = JSON.parse(`[${texts.toReversed().join(',')}]`);
  return Array.isArray(items) ? items : [];
}

/** JSON of a list without its brackets. */
export function listText(items: readonly unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}
