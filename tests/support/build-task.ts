import type { TaskRecord } from '#server/db/records/task.ts';

/** Builds a task: a finished drawing by default. */
export function buildTask(fields: Partial<TaskRecord> & Pick<TaskRecord, 'id'>): TaskRecord {
  const created = fields.created_at ?? 1_790_000_000;
  return {
    platform: 'midjourney',
    listed: fields.platform ?? 'midjourney',
    user_id: 1,
    username: 'user1',
    token_id: 1,
    request_id: `request-${fields.id}`,
    channel_id: 1,
    model: 'mj_imagine',
    action: 'IMAGINE',
    created_at: created,
    updated_at: created,
    upstream_id: `up-${fields.id}`,
    code: 1,
    status: 'SUCCESS',
    progress: '100%',
    fail_reason: '',
    prompt: 'a harbour',
    prompt_en: '',
    description: '',
    state: '',
    submit_time: created * 1000 + 7,
    start_time: 0,
    finish_time: 0,
    image_url: '',
    buttons: '',
    properties: '',
    data: '',
    quota: 0,
    token_quota: 0,
    refunded_quota: 0,
    charge: 'none',
    process: 'p-test',
    ...fields,
  };
}
