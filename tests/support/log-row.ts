// Rows of the usage log as a client gets them.
import type { Attempt, Log, LogOther } from '#shared/logs.ts';

export function buildLog(fields: Partial<Omit<Log, 'other'>> & { other?: LogOther | null } = {}): Log {
  const { other = null, ...columns } = fields;
  return {
    id: 1,
    user_id: 1,
    created_at: 1_795_000_000,
    type: 2,
    content: '',
    username: 'mira',
    token_name: 'notebook',
    token_id: 3,
    model_name: 'gpt-4o',
    quota: 10,
    prompt_tokens: 5,
    completion_tokens: 5,
    use_time: 1,
    is_stream: true,
    channel: 7,
    channel_name: 'main',
    group: 'default',
    request_id: 'r',
    ...columns,
    other: other === null ? '' : JSON.stringify(other),
  };
}

export const buildAttempt = (channel: number, status: number, error?: string): Attempt => ({
  channel,
  status,
  start_ms: 0,
  end_ms: 1,
  ...(error === undefined ? {} : { error }),
});
