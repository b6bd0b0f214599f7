// Settings, groups, prices, channels and tokens as files: what a file would change, what it has changed, and what files manage.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';

/** Characters of a document, all of its files together. */
export const longestDocument = 4_000_000;
/** Files of a document. */
export const mostFiles = 200;

/** In the order in which they are applied. */
export const describedKinds = ['setting', 'group', 'price', 'channel', 'token'] as const;
export const DescribedKind = z.enum(describedKinds);
export type DescribedKind = z.infer<typeof DescribedKind>;

/** `managed`: as the file says already, and managed by it from now on. */
export const PlanAction = z.enum(['created', 'changed', 'managed', 'deleted']);
export type PlanAction = z.infer<typeof PlanAction>;

/** Difference of one field; values of secrets are not shown. */
export const PlanField = z.object({
  field: z.string(),
  before: z.optional(z.string()),
  after: z.optional(z.string()),
  is_secret: z.optional(z.boolean()),
});
export type PlanField = z.infer<typeof PlanField>;

export const PlanChange = z.object({
  kind: DescribedKind,
  /** Key of a setting, name of a group or channel, model, `user/name` of a token. */
  name: z.string(),
  action: PlanAction,
  /** File and line that describe it; absent for what is deleted. */
  file: z.optional(z.string()),
  line: z.optional(z.int()),
  fields: z.array(PlanField),
});
export type PlanChange = z.infer<typeof PlanChange>;

/** Something wrong in a document, or something to look at. `message` is in the caller's language. */
export const DocumentProblem = z.object({
  file: z.string(),
  /** From 1. */
  line: z.int(),
  column: z.int(),
  /** Names joined by points. */
  path: z.string(),
  message: z.string(),
});
export type DocumentProblem = z.infer<typeof DocumentProblem>;

export const Plan = z.object({
  /** Name of the set of files. */
  name: z.string(),
  changes: z.array(PlanChange),
  /** Objects that are as the files say. */
  same: z.int(),
  /** Objects that these files managed before and do not describe any more; deleted only with `prune`. */
  left: z.array(z.object({ kind: DescribedKind, name: z.string() })),
  warnings: z.array(DocumentProblem),
  /** Identifies the plan and the state that it was made for. */
  digest: z.string(),
});
export type Plan = z.infer<typeof Plan>;

export const Applied = z.object({
  ...Plan.shape,
  /** Keys that were made for new tokens. They are shown here and to their owners only. */
  keys: z.array(z.object({ user: z.string(), name: z.string(), key: z.string() })),
});
export type Applied = z.infer<typeof Applied>;

/** Objects of one file. */
export const ManagingFile = z.object({
  by: z.string(),
  file: z.string(),
  settings: z.int(),
  groups: z.int(),
  prices: z.int(),
  channels: z.int(),
  tokens: z.int(),
});
export type ManagingFile = z.infer<typeof ManagingFile>;

const FileName = z.string().check(z.minLength(1), z.maxLength(200), z.regex(/^[^\p{Cc}]+$/u));

export const DocumentInput = z.object({
  files: z
    .array(z.object({ name: FileName, text: z.string().check(z.maxLength(longestDocument)) }))
    .check(z.minLength(1), z.maxLength(mostFiles)),
  /** Name of the set of files; absent: that in the files, else the name of the only file. */
  name: z.optional(FileName),
  /** Values of `${NAME}` in the files. Environment and files of the server cannot be read so. */
  secrets: z.optional(z.record(z.string(), z.string().check(z.maxLength(100_000)))),
  /** Deletes what these files managed before and do not describe any more. */
  prune: z.optional(z.boolean()),
});
export type DocumentInput = z.infer<typeof DocumentInput>;

const maxBytes = longestDocument + 1_000_000;

export const asCodeApi = {
  /** On `document_invalid`, `data.problems` lists every error with its line. */
  plan: endpoint('POST', '/api/as_code/plan', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: DocumentInput,
    reply: Plan,
    maxBytes,
    summary: 'What applying files of settings would change',
  }),
  /** With `digest`, only if the plan is still the one with this digest. */
  apply: endpoint('POST', '/api/as_code/apply', {
    access: 'admin',
    audit: { kind: 'file', action: 'applied', by: 'call', object: 'name' },
    body: z.extend(DocumentInput, { digest: z.optional(z.string()) }),
    reply: Applied,
    maxBytes,
    summary: 'Apply files of settings',
  }),
  /** `tokens`: usernames with commas between them whose tokens are exported besides those that files manage. */
  export: endpoint('GET', '/api/as_code/export', {
    access: 'admin',
    query: z.object({ tokens: QueryText }),
    reply: z.object({ text: z.string(), references: z.array(z.string()) }),
    summary: 'Settings, groups, prices, channels and tokens as a file, without secrets',
  }),
  files: endpoint('GET', '/api/as_code/', {
    access: 'admin',
    reply: z.array(ManagingFile),
    summary: 'Files that manage settings, groups, prices, channels and tokens',
  }),
  release: endpoint('POST', '/api/as_code/release', {
    access: 'root',
    audit: { kind: 'file', action: 'released', by: 'call', object: 'by' },
    body: z.object({ by: FileName }),
    reply: z.int(),
    summary: 'Let the console manage again what a set of files manages; returns how many objects',
  }),
};
