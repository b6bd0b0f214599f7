// A task (video, music) and a drawing of new-api, as history: nothing is polled, charged or refunded any more.
import { storable } from '#server/db/storable.ts';
import { leftOut, type MappedRow, noMoney, type RowNote, type TaskDraft } from '../mapped-row.ts';
import type { SourceRow } from '../sources/source-database.ts';
import { integer, json, jsonObject, line, quota, text, trimmed } from '../sources/row-values.ts';

const limits = { text: 4_000, total: 60_000, elements: 200, levels: 8 };
/** Longest JSON text of a provider's answer. */
const longestData = 200_000;

export function mapTask(row: SourceRow): MappedRow<TaskDraft> {
  const oldId = text(row, 'id');
  const taskId = trimmed(row, 'task_id');
  const name = taskId === '' ? `#${oldId}` : taskId;
  const source = trimmed(row, 'platform');
  const platform = source === 'suno' ? 'suno' : /^\d+$/.test(source) ? 'video' : undefined;
  if (platform === undefined) return leftOut(oldId, name, { reason: 'task_kind', detail: source.slice(0, 40) });
  const properties = jsonObject(row, 'properties') ?? {};
  const secret = jsonObject(row, 'private_data') ?? {};
  const model = textIn(properties, 'origin_model_name') || textIn(properties, 'upstream_model_name') || line(row, 'action', 100);
  // Before 2026, the reason of a finished video is its address.
  const reason = text(row, 'fail_reason');
  const isDone = trimmed(row, 'status') === 'SUCCESS';
  const address = isDone && /^https?:\/\//.test(reason) ? reason : textIn(secret, 'result_url');
  const data = json(row, 'data');
  const written = data === undefined ? '' : JSON.stringify(data);
  return finished(row, oldId, {
    platform,
    model,
    public_id: taskId,
    upstream: textIn(secret, 'upstream_task_id') || taskId,
    prompt: textIn(properties, 'input'),
    address: platform === 'video' ? '' : address,
    reason: isDone && address === reason ? '' : reason,
    data: written.length > longestData ? '' : written,
    scale: 1000,
    tokenRef: typeof secret['token_id'] === 'number' ? String(secret['token_id']) : '',
  });
}

export function mapDrawing(row: SourceRow): MappedRow<TaskDraft> {
  const oldId = `mj${text(row, 'id')}`;
  const action = line(row, 'action', 40).toLowerCase();
  return finished(row, oldId, {
    platform: 'midjourney',
    model: action === '' ? 'mj_imagine' : `mj_${action}`,
    upstream: trimmed(row, 'mj_id'),
    prompt: text(row, 'prompt'),
    address: text(row, 'image_url'),
    reason: text(row, 'fail_reason'),
    data: '',
    // Times of drawings are in milliseconds.
    scale: 1,
    tokenRef: '',
  });
}

interface TaskFacts {
  platform: TaskDraft['platform'];
  model: string;
  public_id?: string;
  upstream: string;
  prompt: string;
  address: string;
  reason: string;
  data: string;
  scale: number;
  tokenRef: string;
}

function finished(row: SourceRow, oldId: string, facts: TaskFacts): MappedRow<TaskDraft> {
  const { platform, scale } = facts;
  const notes: RowNote[] = [];
  const stored = trimmed(row, 'status');
  const hasEnded = stored === 'SUCCESS' || stored === 'FAILURE';
  const amount = quota(row, 'quota');
  if (!hasEnded) notes.push({ reason: 'task_running', quota: amount });
  const time = (column: string) => Math.max(0, integer(row, column)) * scale;
  const created = integer(row, 'created_at') || Math.floor(time('submit_time') / 1000);
  const draft: TaskDraft = {
    platform,
    listed: platform,
    userRef: text(row, 'user_id'),
    tokenRef: facts.tokenRef,
    channelRef: integer(row, 'channel_id') > 0 ? text(row, 'channel_id') : '',
    username: '',
    request_id: '',
    model: facts.model,
    action: line(row, 'action', 100),
    created_at: created,
    updated_at: integer(row, 'updated_at') || created,
    ...(platform === 'video' && facts.public_id !== undefined ? { public_id: facts.public_id } : {}),
    ...(facts.upstream === '' ? {} : { upstream_id: facts.upstream }),
    code: integer(row, 'code', 1),
    status: hasEnded ? stored : 'FAILURE',
    progress: hasEnded ? line(row, 'progress', 10) || '100%' : '100%',
    fail_reason: hasEnded ? facts.reason : facts.reason || '迁移时仍在进行 / was running when it was imported',
    prompt: facts.prompt,
    prompt_en: text(row, 'prompt_en'),
    description: text(row, 'description'),
    state: text(row, 'state'),
    submit_time: time('submit_time'),
    start_time: time('start_time'),
    finish_time: time('finish_time'),
    image_url: facts.address,
    buttons: platform === 'midjourney' ? text(row, 'buttons') : '',
    properties: platform === 'midjourney' ? text(row, 'properties') : '',
    data: '',
    quota: amount,
    token_quota: 0,
    refunded_quota: 0,
    charge: hasEnded && amount > 0 ? 'done' : 'none',
    process: '',
  };
  return {
    oldId,
    name: facts.public_id ?? (facts.upstream === '' ? `#${oldId}` : facts.upstream),
    notes,
    money: noMoney,
    draft: { ...storable(draft, limits), data: facts.data },
  };
}

function textIn(object: Readonly<Record<string, unknown>>, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
