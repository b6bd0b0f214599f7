// Limits whole responses in memory: while they arrive, while they are decoded, and until their callers have read them. The process has a number of
// bytes for them, and each user may take as many as are free next to the user's own: a later user finds a share, however much the others leave
// unread. Further responses are read more slowly: they wait in the upstream's connection, because a response that was thrown away would be paid for
// all the same.
import { createShares } from '#server/queues/shares.ts';

export interface ResponseBuffers {
  open(userId: number): ResponseBuffer;
  /** In memory now. */
  readonly bytes: number;
}

/** The response of one call; of its next attempt when that of one has ended. */
export interface ResponseBuffer {
  /** It has so many bytes now. False: it is to come no further until `resume` is called. */
  grow(bytes: number, resume: () => void): boolean;
  /** All of it has come, or what was made of it has so many bytes. */
  arrived(bytes: number): void;
  /** Nothing of it is in memory any more. */
  ended(): void;
}

export interface ResponseBufferLimits {
  /** Bytes of all responses; one more response always gets through. */
  all: number;
  /** Of them, those reserved for responses no longer than `little`: each user may take as many of them as are free next to the user's own. */
  forLittle: number;
  little: number;
}

const usualLimits: ResponseBufferLimits = { all: 256 * 1024 * 1024, forLittle: 16 * 1024 * 1024, little: 1.25 * 1024 * 1024 };

interface BufferedResponse {
  userId: number;
  bytes: number;
  hasArrived: boolean;
  resume: (() => void) | undefined;
}

export function createResponseBuffers({ all, forLittle, little }: ResponseBufferLimits = usualLimits): ResponseBuffers {
  const { buffered, arrived, littles, change } = createSums(little);
  const coming = createComing(little);

  /**
   * If several exceed the limit, the oldest continues in any case, so that two do not wait for each other; but not beyond what callers have yet to
   * read.
   */
  function mayContinue(response: BufferedResponse): boolean {
    if (fits(response)) return true;
    return (
      arrived.total <= all - forLittle && mayExceed(response) && first(coming.all, (other) => !fits(other) && mayExceed(other)) === response
    );
  }

  /** Long ones come side by side while they take a quarter of the share, then one after the other: many halves would fill it for good. */
  function fits(response: BufferedResponse): boolean {
    const { userId, bytes } = response;
    const share = buffered.of(userId);
    if (bytes <= little && littles.of(userId) <= forLittle - littles.total) return true;
    const free = all - forLittle - buffered.total;
    if (share > free) return false;
    return bytes <= little || share <= (free + share) / 8 || coming.isOldest(response);
  }

  /** A response that its own user blocks does not block other users. */
  function mayExceed(response: BufferedResponse): boolean {
    return arrived.of(response.userId) === 0 && coming.isOldest(response);
  }

  /** There is capacity again, or another one is the oldest. */
  function wake(): void {
    for (const response of coming.all) {
      const { resume } = response;
      if (resume === undefined || !mayContinue(response)) continue;
      response.resume = undefined;
      resume();
    }
  }

  return {
    open(userId) {
      const response: BufferedResponse = { userId, bytes: 0, hasArrived: false, resume: undefined };
      return {
        grow(bytes, resume) {
          coming.add(response);
          change(response, bytes);
          const isFree = mayContinue(response);
          response.resume = isFree ? undefined : resume;
          return isFree;
        },
        arrived(bytes) {
          // Short ones are not counted.
          if (response.bytes === 0) return;
          change(response, 0);
          coming.remove(response);
          response.hasArrived = true;
          change(response, bytes);
          wake();
        },
        ended() {
          if (response.bytes === 0) return;
          change(response, 0);
          coming.remove(response);
          response.hasArrived = false;
          wake();
        },
      };
    },
    get bytes() {
      return buffered.total;
    },
  };
}

/** What is buffered, what of it has arrived, and what of it are little ones, by user. */
function createSums(little: number) {
  const sums = { buffered: createShares<number>(), arrived: createShares<number>(), littles: createShares<number>() };
  const ifLittle = (bytes: number) => (bytes <= little ? bytes : 0);
  return {
    ...sums,
    /** The response has so many bytes from now on. */
    change(response: BufferedResponse, bytes: number): void {
      const { userId } = response;
      const more = bytes - response.bytes;
      sums.buffered.add(userId, more);
      if (response.hasArrived) sums.arrived.add(userId, more);
      sums.littles.add(userId, ifLittle(bytes) - ifLittle(response.bytes));
      response.bytes = bytes;
    },
  };
}

/** Those that still come, the oldest first, of all and of each user. */
function createComing(little: number) {
  const all = new Set<BufferedResponse>();
  const byUser = new Map<number, Set<BufferedResponse>>();
  return {
    all,
    add(response: BufferedResponse): void {
      all.add(response);
      const own = byUser.get(response.userId);
      if (own === undefined) byUser.set(response.userId, new Set([response]));
      else own.add(response);
    },
    remove(response: BufferedResponse): void {
      response.resume = undefined;
      all.delete(response);
      const own = byUser.get(response.userId);
      own?.delete(response);
      if (own?.size === 0) byUser.delete(response.userId);
    },
    /** Of its user's: little ones hold no long one back. */
    isOldest(response: BufferedResponse): boolean {
      const own = byUser.get(response.userId) ?? [];
      return first(own, ({ bytes }) => bytes > little || response.bytes <= little) === response;
    },
  };
}

function first<Item>(items: Iterable<Item>, isIntended: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (isIntended(item)) return item;
  return undefined;
}
