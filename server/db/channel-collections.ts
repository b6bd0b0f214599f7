// Part of `collections.ts`: channels with their keys, figures and runs, and the status of models.

export const channelCollections = {
  channels: {
    idBlock: 1,
    indexes: [
      { name: 'priority', fields: ['-priority', '-id'] },
      { name: 'tag', fields: ['tag', 'id'] },
      { name: 'key', fields: ['key_hash'] },
    ],
  },
  deleted_channels: { idBlock: 1, indexes: [{ name: 'time', fields: ['deleted_at', 'id'] }] },
  channel_runs: { textIds: true, idBlock: 1, indexes: [] },
  channel_hours: { textIds: true, idBlock: 1, indexes: [{ name: 'hour', fields: ['hour', 'id'] }] },
  channel_slots: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'slot', fields: ['slot', 'id'] },
      { name: 'channel', fields: ['channel_id', 'slot'] },
    ],
  },
  // Read by ranges of ids, which begin with the time.
  model_figures: { textIds: true, idBlock: 1, indexes: [] },
  model_states: { textIds: true, idBlock: 1, indexes: [] },
  status_incidents: {
    idBlock: 1,
    indexes: [
      { name: 'open', fields: ['open', 'id'], sparse: true },
      { name: 'ended', fields: ['ended_at', 'id'], sparse: true },
      { name: 'started', fields: ['started_at', 'id'] },
    ],
  },
  channel_keys: {
    idBlock: 1,
    indexes: [
      { name: 'channel_key', fields: ['channel_id', 'key_hash'], unique: true },
      { name: 'channel', fields: ['channel_id', 'id'] },
      { name: 'key', fields: ['key_hash', 'id'] },
    ],
  },
  channel_key_hours: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'hour', fields: ['hour', 'id'] },
      { name: 'channel', fields: ['channel_id', 'hour'] },
    ],
  },
  key_replacements: { idBlock: 1, indexes: [{ name: 'time', fields: ['at', 'id'] }] },
} as const;
