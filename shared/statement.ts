// The account statement of a user over a time: what was there, what came, what went, what is left.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryInt } from '#shared/query-values.ts';

/** A change of the balance that was no call. Amounts are quota, signed. */
export const StatementEntry = z.object({
  id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  /** One of `EntryKind`, or of a newer server. */
  kind: z.string(),
  amount: z.int(),
});
export type StatementEntry = z.infer<typeof StatementEntry>;

/** What calls of one model took, at the time at which they began; positive. */
export const StatementCalls = z.object({ model_name: z.string(), calls: z.int(), amount: z.int() });
export type StatementCalls = z.infer<typeof StatementCalls>;

/** `opening` + `entries` + `more_entries` − `calls` − `more_calls` = `closing`, to the last unit. */
export const Statement = z.object({
  user_id: z.int(),
  username: z.string(),
  display_name: z.string(),
  /** Unix seconds, half-open. `from` is later than asked where rows of the log from before are deleted, or the user is younger. */
  from: z.int(),
  to: z.int(),
  /** Quota of one dollar. */
  quota_per_unit: z.number(),
  opening: z.int(),
  closing: z.int(),
  /** Oldest first, as many as a statement shows. */
  entries: z.array(StatementEntry),
  more_entries: z.object({ count: z.int(), amount: z.int() }),
  /** The dearest first, as many as a statement shows. */
  calls: z.array(StatementCalls),
  more_calls: z.object({ models: z.int(), calls: z.int(), amount: z.int() }),
});
export type Statement = z.infer<typeof Statement>;

/** The longest time of one statement: a year and the day that it may have more, in seconds. */
export const longestStatement = 366 * 86_400;

const SpanQuery = z.object({ start_timestamp: QueryInt, end_timestamp: QueryInt });

export const statementApi = {
  own: endpoint('GET', '/api/user/self/statement', {
    access: 'user',
    query: SpanQuery,
    reply: Statement,
    summary: 'The account statement of the caller',
  }),
  ofUser: endpoint('GET', '/api/user/:id/statement', {
    access: 'admin',
    params: z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) }),
    query: SpanQuery,
    reply: Statement,
    summary: 'The account statement of a user',
  }),
};
