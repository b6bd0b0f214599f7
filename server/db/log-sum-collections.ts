// Part of `collections.ts`: sums of the log, and how far they go. The indexes cover statistics, which are summed without reading records; sums of
// imported calls, which few databases have, are found by sparse indexes.

const sumFields = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'first_byte_ms', 'duration_ms'] as const;

export const logSumCollections = {
  log_hours: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'imported', fields: ['imported', 'user_id', 'hour', 'model_name', 'calls', 'quota'], sparse: true },
      { name: 'user', fields: ['user_id', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
      { name: 'token', fields: ['token_name', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
      { name: 'user_token', fields: ['user_id', 'token_name', 'hour', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
    ],
  },
  log_sums: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'imported', fields: ['imported', 'key', 'start', 'quota'], sparse: true },
      { name: 'key', fields: ['key', 'start', 'model_name', 'channel_id', 'group', 'hidden', 'failed', 'quota'] },
    ],
  },
  usage_sums: {
    textIds: true,
    withoutBooleans: true,
    idBlock: 1,
    indexes: [
      { name: 'time', fields: ['key', 'start', 'name', ...sumFields] },
      { name: 'name', fields: ['key', 'name', 'start', ...sumFields] },
    ],
  },
  latency_hours: { textIds: true, withoutBooleans: true, idBlock: 1, indexes: [{ name: 'time', fields: ['key', 'start'] }] },
  log_folds: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'], sparse: true }] },
  log_closings: { textIds: true, idBlock: 1, indexes: [] },
  closed_usage: {
    textIds: true,
    withoutBooleans: true,
    idBlock: 1,
    indexes: [
      { name: 'imported', fields: ['imported', 'user_id', 'start', 'model_name', 'calls', 'quota'], sparse: true },
      { name: 'user', fields: ['user_id', 'start', 'model_name', 'calls', 'quota'] },
    ],
  },
} as const;
