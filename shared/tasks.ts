// Music and videos: tasks that run upstream, as the console lists them. Drawings have a list of their own.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { TaskPageExtra } from '#shared/drawings.ts';
import { CursorQuery } from '#shared/paging.ts';
import { QueryInt, QueryText } from '#shared/query-values.ts';

export const taskPlatforms = ['suno', 'video'] as const;
export const taskStatuses = ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE', 'UNKNOWN'] as const;
export const taskActions = ['MUSIC', 'LYRICS'] as const;
export type TaskAction = (typeof taskActions)[number];
export const videoActions = ['TEXT_TO_VIDEO', 'IMAGE_TO_VIDEO', 'REMIX'] as const;

/** Times are unix seconds; 0: not yet. */
export const Task = z.object({
  id: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  /** The upstream's id, of videos our own; empty when it never had one. */
  task_id: z.string(),
  /** One of `taskPlatforms`. */
  platform: z.string(),
  user_id: z.int(),
  /** Empty for users who are not administrators. */
  username: z.string(),
  /** 0 for users who are not administrators. */
  channel_id: z.int(),
  /** Empty for users who are not administrators, and for a deleted channel. Absent from rows that a device has stored. */
  channel_name: z.optional(z.string()),
  /** Of its call, by which the log has its charge and its refund. Absent from rows that a device has stored. */
  request_id: z.optional(z.string()),
  /** What was charged, in quota, and what of it was given back because the task failed. */
  quota: z.int(),
  refunded_quota: z.int(),
  /** One of `taskActions` or `videoActions`. */
  action: z.string(),
  /** One of `taskStatuses`. */
  status: z.string(),
  fail_reason: z.string(),
  submit_time: z.int(),
  start_time: z.int(),
  finish_time: z.int(),
  /** `0%` to `100%`. */
  progress: z.string(),
  /** Input of the request. */
  properties: z.object({ input: z.string() }),
  /** What the upstream says came of it: of music a list of clips (`audio_url`, `image_url`, `title`, …), of lyrics an object. */
  data: z.unknown(),
  /** Of videos: what was ordered, and where it is. Empty addresses: not yet, or only by `GET /v1/videos/{id}/content`. */
  video: z.optional(z.object({ model: z.string(), seconds: z.number(), size: z.string(), url: z.string(), poster: z.string() })),
});
export type Task = z.infer<typeof Task>;

/** Bounds are unix seconds, both inclusive. */
const filters = {
  task_id: QueryText,
  /** One of `taskPlatforms`; missing: music. */
  platform: QueryText,
  action: QueryText,
  status: QueryText,
  start_timestamp: QueryInt,
  end_timestamp: QueryInt,
};

export const taskApi = {
  /** `p` counts from 0; the bare array is what old clients read. Newest first. */
  list: endpoint('GET', '/api/task/', {
    access: 'admin',
    query: z.extend(CursorQuery, { ...filters, channel_id: QueryInt }),
    reply: z.array(Task),
    extra: TaskPageExtra,
    summary: 'Music and video tasks of everybody',
  }),
  listSelf: endpoint('GET', '/api/task/self', {
    access: 'user',
    organisation: 'usage',
    query: z.extend(CursorQuery, filters),
    reply: z.array(Task),
    extra: TaskPageExtra,
    summary: 'Own music and video tasks',
  }),
};

/**
 * Address from which the console loads the bytes of a video, or a picture of it: for its owner and administrators, by session, without the console's
 * header, which players cannot send. Next to `/pg/chat/completions`, since it streams. Supports `Range` requests.
 */
export const taskContentRoute = '/pg/tasks/:id/content';

export function taskContentPath(id: number, variant: 'video' | 'thumbnail' = 'video'): string {
  return `${taskContentRoute.replace(':id', String(id))}${variant === 'video' ? '' : `?variant=${variant}`}`;
}
