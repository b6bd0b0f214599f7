// Drawings: tasks that a Midjourney proxy works on, as the console lists them.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { CursorQuery } from '#shared/paging.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';

/** `''`: handed to a channel, which has not said anything of it yet. `MODAL`: it waits for more input. */
export const drawingStatuses = ['', 'NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'MODAL', 'SUCCESS', 'FAILURE'] as const;

export const drawingActions = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
] as const;
export type DrawingAction = (typeof drawingActions)[number];

/** What became of a submission. 0: it was not handed on. */
export const SubmitCode = { none: 0, submitted: 1, exists: 21, queued: 22 } as const;

/** Times are unix milliseconds; 0: not yet. */
export const Drawing = z.object({
  id: z.int(),
  user_id: z.int(),
  /** Empty for users who are not administrators. */
  username: z.string(),
  /** See `SubmitCode`; others are refusals of the channel. */
  code: z.int(),
  /** One of `drawingActions`. */
  action: z.string(),
  /** The upstream's id; empty when it never had one. */
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  /** What the caller sent along. */
  state: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** Empty: there is no image. */
  image_url: z.string(),
  /** One of `drawingStatuses`. */
  status: z.string(),
  /** `0%` to `100%`. */
  progress: z.string(),
  fail_reason: z.string(),
  /** 0 for users who are not administrators. */
  channel_id: z.int(),
  /** Empty for users who are not administrators, and for a deleted channel. Absent from rows that a device has stored. */
  channel_name: z.optional(z.string()),
  /** Of its call, by which the log has its charge and its refund. Absent from rows that a device has stored. */
  request_id: z.optional(z.string()),
  /** What was charged, in quota, and what of it was given back because the drawing failed. */
  quota: z.int(),
  refunded_quota: z.int(),
  /** JSON texts, or empty. */
  buttons: z.string(),
  properties: z.string(),
});
export type Drawing = z.infer<typeof Drawing>;

/** Further keys of a page of rows. `total` is exact up to 10,000; `cursor` opens the next page, absent on the last. */
export const TaskPageExtra = z.object({
  total: z.int(),
  total_is_lower_bound: z.optional(z.boolean()),
  page_size: z.int(),
  cursor: z.optional(z.string()),
});
export type TaskPageExtra = z.infer<typeof TaskPageExtra>;

/** Bounds are unix milliseconds, both inclusive. */
const filters = {
  mj_id: QueryText,
  action: QueryText,
  status: QueryText,
  start_timestamp: QueryInt,
  end_timestamp: QueryInt,
};

export const drawingApi = {
  /** `p` counts from 0; the bare array is what old clients read. Newest first. */
  list: endpoint('GET', '/api/mj/', {
    access: 'admin',
    query: z.extend(CursorQuery, { ...filters, channel_id: QueryInt }),
    reply: z.array(Drawing),
    extra: TaskPageExtra,
    summary: 'Drawings of everybody',
  }),
  listSelf: endpoint('GET', '/api/mj/self', {
    access: 'user',
    organisation: 'usage',
    query: z.extend(CursorQuery, filters),
    reply: z.array(Drawing),
    extra: TaskPageExtra,
    summary: 'Own drawings',
  }),
};
