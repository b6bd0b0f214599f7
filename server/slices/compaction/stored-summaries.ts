// Caches paid summaries whose call has failed, for the client's retry, in the memory of this process.
import { createHash } from 'node:crypto';
import type { AppContext } from '#server/context.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { ShareLimits } from '#server/queues/shares.ts';
import { createUserMemory } from '#server/queues/user-memory.ts';

export interface StoredSummaries {
  /** Removes and returns the summary of that request; undefined if there is none. */
  take(requested: SummaryRequest): PaidSummary | undefined;
  /** Caches the summary of a call that has failed. */
  store(summary: PaidSummary): void;
  /** Size of the cache, an upper bound. */
  readonly bytes: number;
}

export interface SummaryRequest {
  userId: number;
  /** Hash of the model, the conversation and the instructions. */
  key: string;
}

/** Whole response to a summary request whose call is settled. */
export interface PaidSummary extends SummaryRequest {
  answer: Buffer;
}

const mebibyte = 1024 * 1024;
/** Bytes. A summary has a few KB. */
const mostBytes: ShareLimits = { all: 32 * mebibyte, perOwner: 2 * mebibyte };
/** Maximum bytes of a stored response. */
const longestAnswer = 512 * 1024;
/** Milliseconds. Clients retry within seconds, and people within minutes. */
const retentionMs = 10 * 60_000;

export function createStoredSummaries({ now }: Pick<AppContext, 'now'>, most: ShareLimits = mostBytes): StoredSummaries {
  const memory = createUserMemory<Buffer>({ now, most, retentionMs, isRenewed: false });
  return {
    take({ userId, key }) {
      const answer = memory.take(userId, key);
      return answer === undefined ? undefined : { userId, key, answer };
    },
    store({ userId, key, answer }) {
      if (answer.length > longestAnswer) return;
      // Copied, because a slice would retain the whole buffer.
      memory.set(userId, key, Buffer.from(answer), answer.length + 2 * key.length);
    },
    get bytes() {
      return memory.bytes;
    },
  };
}

/** @param request whole request for the summary */
export function summaryKey(model: string, request: RelayBody): string {
  return createHash('sha256')
    .update(JSON.stringify([model, request]))
    .digest('base64');
}
