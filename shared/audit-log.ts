// The audit log: who changed what, when and from where. (The proof of the books, `npm run audit`, is another thing.)
import { z } from 'zod/mini';
import { auditActions, auditKinds } from '#shared/audit-spec.ts';
import { endpoint } from '#shared/contract.ts';
import { QueryPage } from '#shared/paging.ts';
import { QueryBoolean, QueryInt, QueryText } from '#shared/query-values.ts';

const Value = z.union([z.string(), z.number(), z.boolean()]);

/** Difference of one field: values, or names that a list gained and lost, or what happened to a secret. */
export const AuditChange = z.object({
  /** Name of the field; of JSON objects with the entry's name after a dot. */
  field: z.string(),
  /** Absent: there was, or is, nothing. */
  before: z.optional(Value),
  after: z.optional(Value),
  secret: z.optional(z.enum(['set', 'replaced', 'removed'])),
  added: z.optional(z.array(z.string())),
  removed: z.optional(z.array(z.string())),
  /** Number of names that are not listed. */
  more: z.optional(z.int()),
});
export type AuditChange = z.infer<typeof AuditChange>;

export const AuditEntry = z.object({
  /** Ascending with time. */
  id: z.string(),
  /** Milliseconds. */
  at: z.int(),
  /** `user_id` 0: the system (`by: 'job'`), or a visitor without an account (`by: 'none'`). `name`: of the user, or of the job. */
  actor: z.object({ user_id: z.int(), name: z.string(), by: z.enum(['session', 'access_token', 'job', 'none']) }),
  kind: z.enum(auditKinds),
  action: z.enum(auditActions),
  /** `<kind>:<id>`, the filter for the history of the object. */
  object: z.string(),
  /** Id of the object within its kind; empty: no single object is concerned. */
  object_id: z.string(),
  /** Name of the object at that time. */
  name: z.string(),
  changes: z.array(AuditChange),
  /** Number of changes that are not listed. */
  more: z.int(),
  /** Entered by the actor. */
  reason: z.string(),
  /** Empty for the system, and for administrators who are not below the reader. */
  ip: z.string(),
  user_agent: z.string(),
  request_id: z.string(),
  /** Failed sign-ins of an hour that are joined in this entry, and the time of the last one in milliseconds; 1 and the entry's own time for others. */
  count: z.int(),
  last_at: z.int(),
  /** The server stopped during the change: the change may not have been stored. */
  is_unconfirmed: z.boolean(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const auditFormats = ['csv', 'json'] as const;
export type AuditFormat = (typeof auditFormats)[number];

const filters = {
  /** A username, `system`, or `visitor`. */
  actor: QueryText,
  kind: z.pipe(QueryText, z.optional(z.enum(auditKinds))),
  action: z.pipe(QueryText, z.optional(z.enum(auditActions))),
  /** `<kind>:<id>`. */
  object: QueryText,
  /** Unix seconds. */
  start_timestamp: QueryInt,
  end_timestamp: QueryInt,
  /** Part of a name, id, value, address or request id. */
  keyword: QueryText,
  /** Leaves out what the system did. */
  without_system: QueryBoolean,
};

export const AuditPage = z.object({
  items: z.array(AuditEntry),
  /** Opens the following page; absent at the end. A page may be short, or empty, and yet not be the last: a search reads a bounded number of entries. */
  cursor: z.optional(z.string()),
  /** Milliseconds: how far back the search has come, if it has not come to its end. */
  searched_until: z.optional(z.int()),
});
export type AuditPage = z.infer<typeof AuditPage>;

export const auditLogApi = {
  list: endpoint('GET', '/api/audit_log/', {
    access: 'admin',
    query: z.object({ ...filters, cursor: QueryText, page_size: QueryPage }),
    reply: AuditPage,
    summary: 'Who changed what, newest first',
  }),
  /** A file that is written as it is read. It is no JSON, so it has no envelope unless it is refused. */
  exportAll: endpoint('GET', '/api/audit_log/export', {
    access: 'admin',
    audit: { exempt: 'reads' },
    query: z.object({ ...filters, format: z.pipe(QueryText, z.optional(z.enum(auditFormats))) }),
    changesState: true,
    summary: 'The audit log as CSV or JSON lines',
  }),
};
