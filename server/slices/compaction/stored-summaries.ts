// Summaries whose call has failed afterwards: they are paid for, so the client's next try goes on with them. In this process alone.
import { createHash } from 'node:crypto';
import type { AppContext } from '#server/context.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { ShareLimits } from '#server/queues/shares.ts';
import { createUserMemory } from '#server/queues/user-memory.ts';

export interface StoredSummaries {
  /** Of that very conversation, asked for in the same words; undefined: there is none. It is not there for another call then. */
  take(requested: SummaryRequest): PaidSummary | undefined;
  /** The call behind it has failed. */
  keep(summary: PaidSummary): void;
  /** Bytes that are kept, roughly and at the most. */
  readonly bytes: number;
}

export interface SummaryRequest {
  userId: number;
  /** Of the model, the conversation and the instructions. */
  key: string;
}

/** The whole response to what was asked. Its call is settled. */
export interface PaidSummary extends SummaryRequest {
  answer: Buffer;
}

const mebibyte = 1024 * 1024;
/** Bytes. A summary has some KB. */
const mostBytes: ShareLimits = { all: 32 * mebibyte, perOwner: 2 * mebibyte };
/** Of one answer. */
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
    keep({ userId, key, answer }) {
      if (answer.length > longestAnswer) return;
      // A part of a larger buffer would hold all of it.
      memory.set(userId, key, Buffer.from(answer), answer.length + 2 * key.length);
    },
    get bytes() {
      return memory.bytes;
    },
  };
}

/** @param request that a model is asked with, whole */
export function summaryKey(model: string, request: RelayBody): string {
  return createHash('sha256')
    .update(JSON.stringify([model, request]))
    .digest('base64');
}
