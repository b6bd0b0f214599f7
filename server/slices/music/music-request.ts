// Reads a Suno client's request, and the upstream's verdict.
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { AppError, errors } from '#shared/errors.ts';
import type { TaskAction } from '#shared/tasks.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { storable } from '#server/db/storable.ts';
import { isObject } from '#server/framing/loose-json.ts';
import type { Submission, Verdict } from '#server/work/tasks/submission.ts';
import { checkTextLengths, longestPrompt } from '#server/call/tasks/task-bounds.ts';
import { findTask } from '#server/tasks/find-task.ts';
import { idOf, textOf } from '#server/tasks/platforms/report-values.ts';
import { suno } from '#server/tasks/platforms/suno.ts';
import { accountErrors } from '#server/exchange/failure-consequences.ts';
import { MusicRefusal } from './refusal.ts';

type Body = Record<string, unknown>;

/** Characters. */
const longest = {
  gpt_description_prompt: longestPrompt,
  prompt: longestPrompt,
  mv: 100,
  title: 1_000,
  tags: 10_000,
  task_id: 200,
  continue_clip_id: 200,
};
const defaultVersion = 'chirp-v3-0';
const limits = { text: 8_000, total: 64_000, elements: 100, levels: 8 };

/** @throws {MusicRefusal} @throws {AppError} `tasks_disabled` */
export async function musicSubmission(
  context: AppContext,
  owner: ObjectOwner,
  { action, body }: { action: string; body: Body },
): Promise<Submission> {
  if (!context.settings.get('TaskEnabled')) throw new AppError('tasks_disabled');
  const wanted = actionOf(action);
  const stored = storedFields(wanted, body);
  const prompt = textIn(stored, 'prompt');
  if (wanted === 'LYRICS' && prompt.trim() === '') throw new MusicRefusal(400, 'invalid_request', 'prompt_empty');
  const origin = await originOf(context, owner, stored);
  return {
    platform: suno,
    action: wanted,
    model: `suno_${wanted.toLowerCase()}`,
    isFree: false,
    origin,
    prompt: [prompt, textIn(stored, 'gpt_description_prompt'), textIn(stored, 'title'), textIn(stored, 'tags')]
      .filter((text) => text !== '')
      .join('\n'),
    state: '',
    request: () => ({ path: `/suno/submit/${wanted}`, body: stored }),
    read: readVerdict,
  };
}

function actionOf(text: string): TaskAction {
  const name = text.toUpperCase();
  if (name === 'MUSIC' || name === 'LYRICS') return name;
  throw new MusicRefusal(400, 'invalid_request', 'invalid_action');
}

/** Others are dropped. @throws {MusicRefusal} for one of a wrong kind @throws {BoundRefusal} for one that is too long */
function storedFields(action: TaskAction, body: Body): Body {
  checkTextLengths(body, longest);
  const stored: Body = {};
  for (const field of Object.keys(longest)) {
    const value = body[field] ?? '';
    if (typeof value !== 'string') throw new MusicRefusal(400, 'invalid_request', `${field} must be a text`);
    if (value !== '') stored[field] = value;
  }
  const { continue_at: at, make_instrumental: isInstrumental } = body;
  if (at !== undefined && at !== null) {
    if (typeof at !== 'number' || !Number.isFinite(at) || at < 0)
      throw new MusicRefusal(400, 'invalid_request', 'continue_at must be a number');
    stored['continue_at'] = at;
  }
  stored['make_instrumental'] = isInstrumental === true;
  if (action === 'MUSIC') stored['mv'] ??= defaultVersion;
  return stored;
}

async function originOf(context: AppContext, owner: ObjectOwner, stored: Body): Promise<TaskRecord | null> {
  if (textIn(stored, 'continue_clip_id') === '') return null;
  const upstreamId = textIn(stored, 'task_id');
  if (upstreamId === '') throw new MusicRefusal(400, 'invalid_request', 'task id is empty');
  const origin = await findTask(context, { platform: 'suno', owner, upstreamId });
  if (origin === null) throw new MusicRefusal(400, 'task_not_exist', 'task_origin_not_exist');
  const channel = context.channels.get(origin.channel_id);
  if (channel === undefined) throw new MusicRefusal(400, 'channel_not_found', 'channel_not_found');
  if (channel.status !== ChannelStatus.enabled || channel.problem !== null)
    throw new MusicRefusal(400, 'task_channel_disable', '该任务所属渠道已被禁用');
  return origin;
}

/** Returns null for an invalid response. */
function readVerdict(answer: unknown): Verdict | null {
  if (!isObject(answer)) return null;
  const reported = textOf(answer['code']) || (typeof answer['code'] === 'number' ? String(answer['code']) : '');
  if (reported === '') return null;
  // The message is about the channel's account, which callers do not see.
  if (accountErrors.has(reported)) {
    const body = { code: 'channel_refused', message: errors.channel_refused.zh, data: null };
    return { kind: 'refused', code: 0, reason: 'channel_refused', isElsewhere: true, status: errors.channel_refused.status, body };
  }
  if (reported !== 'success') {
    const message = textOf(answer['message']);
    const body = { code: reported, message, data: null };
    return { kind: 'refused', code: 0, reason: message === '' ? reported : message, isElsewhere: false, status: 500, body };
  }
  const upstreamId = idOf(answer['data']);
  if (upstreamId === '') return null;
  return { kind: 'accepted', code: 1, upstreamId, body: storable<Body>(answer, limits) };
}

function textIn(body: Body, field: string): string {
  const value = body[field];
  return typeof value === 'string' ? value : '';
}
