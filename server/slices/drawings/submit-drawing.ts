// A submission of a Midjourney client, made ready for the engine.
import type { ObjectOwner } from '#server/tokens/object-owner.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { AppError, type Language } from '#shared/errors.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import { findTask } from '#server/tasks/find-task.ts';
import { notifyAddress } from '#server/tasks/notify-secret.ts';
import { midjourney } from '#server/tasks/platforms/midjourney.ts';
import type { Submission } from '#server/work/tasks/submission.ts';
import type { DrawingRequest } from './drawing-request.ts';
import { freeActions, readVerdict } from './drawing-verdict.ts';
import { channelDisabledText, DrawingRefusal } from './refusal.ts';

interface Given {
  owner: ObjectOwner;
  language: Language;
  /** What goes upstream, from the base URL on. */
  path: string;
  body: Record<string, unknown>;
  request: DrawingRequest;
}

/** @throws {DrawingRefusal} for the drawing that it continues @throws {AppError} `drawing_disabled` */
export async function drawingSubmission(context: AppContext, { owner, language, path, body, request }: Given): Promise<Submission> {
  if (!context.settings.get('DrawingEnabled')) throw new AppError('drawing_disabled');
  const { action, model, prompt } = request;
  const origin = await originOf(context, owner, request);
  return {
    platform: midjourney,
    action,
    model,
    isFree: freeActions.has(action),
    origin,
    prompt: prompt === '' ? (origin?.prompt ?? '') : prompt,
    texts: textsIn(body),
    state: typeof body['state'] === 'string' ? body['state'] : '',
    request: (_channel, id) => ({ path, body: forwarded(context, body, id) }),
    read: (answer) => readVerdict(answer, { action, language }),
  };
}

/** Maximum tasks of a user with the same id: a drawing and those that continue it. */
const mostOfName = 100;

async function originOf(context: AppContext, owner: ObjectOwner, { originId, isModal }: DrawingRequest): Promise<TaskRecord | null> {
  if (originId === undefined) return null;
  const origin = await findTask(context, { platform: 'midjourney', owner, upstreamId: originId });
  if (origin === null) throw new DrawingRefusal('task_not_found');
  if (!isModal && context.settings.get('MjActionCheckSuccessEnabled') && origin.status !== 'SUCCESS')
    throw new DrawingRefusal('task_status_not_success');
  if (isModal && (await isGivenBack(context, owner.userId, originId))) throw new DrawingRefusal('task_status_not_success');
  const channel = context.channels.get(origin.channel_id);
  if (channel === undefined) throw new DrawingRefusal('get_channel_info_failed');
  if (channel.status !== ChannelStatus.enabled || channel.problem !== null) throw new DrawingRefusal(channelDisabledText);
  return origin;
}

/** Reports whether a drawing of that id was refunded: its next step would deliver both for one price. */
async function isGivenBack({ db }: AppContext, userId: number, upstreamId: string): Promise<boolean> {
  const named = await db.collection('tasks').find({ upstream_id: upstreamId, user_id: { unindexedEq: userId } }, { limit: mostOfName });
  return named.some(({ action, status, quota }) => action !== 'MODAL' && status === 'FAILURE' && quota > 0);
}

/** Members without text: pictures and the callback URL. */
const wordless: ReadonlySet<string> = new Set(['base64', 'base64Array', 'sourceBase64', 'targetBase64', 'maskBase64', 'notifyHook']);

/** Collects the texts that are checked for blocked words, from all members, because the whole body is forwarded. */
function textsIn(body: Record<string, unknown>): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (isObject(value)) for (const [name, part] of Object.entries(value)) if (!wordless.has(name)) walk(part);
  };
  walk(body);
  return texts;
}

const modeWords = ['--fast', '--relax', '--turbo'];

/** Removes members that the settings block. Without a caller's callback URL the upstream calls Tidegate back. */
function forwarded(context: AppContext, given: Record<string, unknown>, id: number): Record<string, unknown> {
  const { settings } = context;
  const { accountFilter, notifyHook, ...body } = given;
  if (accountFilter !== undefined && settings.get('MjAccountFilterEnabled')) body['accountFilter'] = accountFilter;
  if (settings.get('MjNotifyEnabled')) {
    const address = typeof notifyHook === 'string' && notifyHook !== '' ? notifyHook : notifyAddress(context, id);
    if (address !== null) body['notifyHook'] = address;
  }
  if (settings.get('MjModeClearEnabled') && typeof body['prompt'] === 'string') {
    let { prompt } = body;
    for (const word of modeWords) if (typeof prompt === 'string') prompt = prompt.replaceAll(word, '');
    body['prompt'] = prompt;
  }
  return body;
}
