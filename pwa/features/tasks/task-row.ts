// What the screens show of a drawing, a piece of music or a video. Everything in it that an upstream wrote is text or a checked link.
import type { Drawing } from '#shared/drawings.ts';
import { type Task, taskContentPath } from '#shared/tasks.ts';
import { clipsOf, type Clip, lyricsOf } from './clips.ts';
import { drawingPicture } from './pictures.ts';
import type { TaskKind } from './task-kinds.ts';

/** `asking`: it waits for more input of its caller. */
export type Standing = 'queued' | 'running' | 'asking' | 'done' | 'failed' | 'unknown';

export interface MadeVideo {
  model: string;
  seconds: number;
  /** `1280×720`. */
  size: string;
  /** Address at this site: the host does not learn who watches, and no other address opens it. Undefined: it does not exist. */
  source: string | undefined;
}

export interface TaskRow {
  kind: TaskKind;
  id: number;
  /** Empty when there never was one. */
  upstreamId: string;
  username: string;
  /** 0: unknown. */
  channel: number;
  /** Empty: the channel was deleted, or the reader is no administrator. */
  channelName: string;
  /** Of the rows of the log that are about it; undefined: a stored row of an earlier version. */
  requestId: string | undefined;
  action: string;
  status: string;
  standing: Standing;
  /** 0 to 100; undefined: the upstream said something else. */
  percent: number | undefined;
  /** Prompt of the task. */
  prompt: string;
  /** What came of it has a name of its own; else empty. */
  title: string;
  failReason: string;
  /** Unix milliseconds; 0: not yet. */
  submitted: number;
  started: number;
  finished: number;
  quota: number;
  refunded: number;
  /** What may be shown of its first picture. */
  picture: string | undefined;
  clips: Clip[];
  lyrics: string;
  /** Undefined: it is none. */
  video: MadeVideo | undefined;
  /** The record as the server gave it. */
  source: Drawing | Task;
}

export function rowOfDrawing(drawing: Drawing): TaskRow {
  const { id, mj_id, username, channel_id, action, status, progress, prompt, fail_reason, quota, refunded_quota } = drawing;
  return {
    kind: 'drawing',
    id,
    upstreamId: mj_id,
    username,
    channel: channel_id,
    channelName: drawing.channel_name ?? '',
    requestId: drawing.request_id,
    action,
    status,
    standing: standingOf(status),
    percent: percentOf(progress),
    prompt,
    title: '',
    failReason: fail_reason,
    submitted: drawing.submit_time,
    started: drawing.start_time,
    finished: drawing.finish_time,
    quota,
    refunded: refunded_quota,
    picture: drawingPicture(drawing),
    clips: [],
    lyrics: '',
    video: undefined,
    source: drawing,
  };
}

export function rowOfTask(task: Task): TaskRow {
  const { id, task_id, username, channel_id, action, status, progress, properties, fail_reason, quota, refunded_quota, data } = task;
  const { video } = task;
  const clips = clipsOf(data, task_id);
  const lyrics = lyricsOf(data);
  const poster = video === undefined || video.poster === '' ? undefined : taskContentPath(id, 'thumbnail');
  return {
    kind: video === undefined ? 'music' : 'video',
    id,
    upstreamId: task_id,
    username,
    channel: channel_id,
    channelName: task.channel_name ?? '',
    requestId: task.request_id,
    action,
    status,
    standing: standingOf(status),
    percent: percentOf(progress),
    prompt: properties.input,
    title: clips.find((clip) => clip.title !== '')?.title ?? lyrics.title,
    failReason: fail_reason,
    submitted: task.submit_time * 1000,
    started: task.start_time * 1000,
    finished: task.finish_time * 1000,
    quota,
    refunded: refunded_quota,
    picture: clips.find((clip) => clip.cover !== undefined)?.cover ?? (status === 'SUCCESS' ? poster : undefined),
    clips,
    lyrics: lyrics.text,
    video: video === undefined ? undefined : madeVideo(video, status === 'SUCCESS' ? taskContentPath(id) : undefined),
    source: task,
  };
}

function madeVideo({ model, seconds, size }: NonNullable<Task['video']>, source: string | undefined): MadeVideo {
  return { model, seconds, size: size.replace('x', '×'), source };
}

/** Whether the upstream may still say something new of it. */
export function isUnfinished({ standing, percent }: TaskRow): boolean {
  return standing !== 'done' && standing !== 'failed' && percent !== 100;
}

/** Milliseconds from the submission to the end; undefined: it has not ended, or its times cannot be true. */
export function durationOf({ submitted, finished }: TaskRow): number | undefined {
  return submitted > 0 && finished >= submitted ? finished - submitted : undefined;
}

/** So long is long. */
const slowMs = 60_000;

export function isSlow(duration: number): boolean {
  return duration > slowMs;
}

function standingOf(status: string): Standing {
  if (status === 'SUCCESS') return 'done';
  if (status === 'FAILURE') return 'failed';
  if (status === 'IN_PROGRESS') return 'running';
  if (status === 'MODAL') return 'asking';
  return status === '' || status === 'NOT_START' || status === 'SUBMITTED' || status === 'QUEUED' ? 'queued' : 'unknown';
}

function percentOf(progress: string): number | undefined {
  const digits = /^(\d{1,3})(?:\.\d+)?%?$/.exec(progress.trim())?.[1];
  return digits === undefined ? undefined : Math.min(100, Number(digits));
}
