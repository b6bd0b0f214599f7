// Limits the memory of complete responses: while they arrive, while they are decoded, and until their callers have received them.
// A user may hold at most as many bytes as remain free, so that later users get a share even if others read slowly. Beyond the
// limits, reading pauses and the response waits in the upstream's connection: discarding it would still cost its price.
import { createShares } from '#server/queues/shares.ts';

export interface ResponseBuffers {
  open(userId: number): ResponseBuffer;
  /** Bytes in memory. */
  readonly bytes: number;
}

/** Buffer of a call's response; reused by the next attempt after `ended`. */
export interface ResponseBuffer {
  /** Sets the bytes received. Returns false if reading must pause until `resume` is called. */
  grow(bytes: number, resume: () => void): boolean;
  /** Reports that the response is complete, or that its decoded form has so many bytes. */
  arrived(bytes: number): void;
  /** Reports that the response is no longer in memory. */
  ended(): void;
}

export interface ResponseBufferLimits {
  /** Maximum bytes of all responses; one response may always exceed it. */
  all: number;
  /** Part of `all` for responses of at most `little` bytes, shared among users by the same rule. */
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
  const { buffered, arrived, shortOnes, change } = createSums(little);
  const arriving = createArriving(little);

  /**
   * Reports whether a response may continue. If several exceed the limit, the oldest continues, so that they do not wait for each
   * other, unless too much waits for slow callers.
   */
  function mayContinue(response: BufferedResponse): boolean {
    if (fits(response)) return true;
    return (
      arrived.total <= all - forLittle &&
      mayExceed(response) &&
      first(arriving.all, (other) => !fits(other) && mayExceed(other)) === response
    );
  }

  /** Reports whether a response is within the limits. A user's long responses arrive in parallel up to a part of the share, then one by one. */
  function fits(response: BufferedResponse): boolean {
    const { userId, bytes } = response;
    const share = buffered.of(userId);
    if (bytes <= little && shortOnes.of(userId) <= forLittle - shortOnes.total) return true;
    const free = all - forLittle - buffered.total;
    if (share > free) return false;
    return bytes <= little || share <= (free + share) / 8 || arriving.isOldest(response);
  }

  /** Reports whether a response may exceed the limit: only if its user has left no response unread. */
  function mayExceed(response: BufferedResponse): boolean {
    return arrived.of(response.userId) === 0 && arriving.isOldest(response);
  }

  /** Resumes responses that may continue now. */
  function wake(): void {
    for (const response of arriving.all) {
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
          arriving.add(response);
          change(response, bytes);
          const isFree = mayContinue(response);
          response.resume = isFree ? undefined : resume;
          return isFree;
        },
        arrived(bytes) {
          // Responses that arrived in one piece were never counted.
          if (response.bytes === 0) return;
          change(response, 0);
          arriving.remove(response);
          response.hasArrived = true;
          change(response, bytes);
          wake();
        },
        ended() {
          if (response.bytes === 0) return;
          change(response, 0);
          arriving.remove(response);
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

/** Creates the sums of bytes by user: buffered, arrived, and of short responses. */
function createSums(little: number) {
  const sums = { buffered: createShares<number>(), arrived: createShares<number>(), shortOnes: createShares<number>() };
  const ifLittle = (bytes: number) => (bytes <= little ? bytes : 0);
  return {
    ...sums,
    /** Sets the bytes of a response. */
    change(response: BufferedResponse, bytes: number): void {
      const { userId } = response;
      const more = bytes - response.bytes;
      sums.buffered.add(userId, more);
      if (response.hasArrived) sums.arrived.add(userId, more);
      sums.shortOnes.add(userId, ifLittle(bytes) - ifLittle(response.bytes));
      response.bytes = bytes;
    },
  };
}

/** Creates the lists of arriving responses, oldest first: of all users and by user. */
function createArriving(little: number) {
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
    /** Reports whether the response is the user's oldest; short ones do not delay long ones. */
    isOldest(response: BufferedResponse): boolean {
      const own = byUser.get(response.userId) ?? [];
      return first(own, ({ bytes }) => bytes > little || response.bytes <= little) === response;
    },
  };
}

function first<Item>(items: Iterable<Item>, matches: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (matches(item)) return item;
  return undefined;
}
