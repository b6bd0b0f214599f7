// Part of `collections.ts`: bills of providers.

export const billCollections = {
  bill_accounts: { idBlock: 1, indexes: [{ name: 'fetch', fields: ['fetch_at', 'id'], sparse: true }] },
  bill_mappings: { textIds: true, idBlock: 1, indexes: [] },
  bill_imports: {
    idBlock: 1,
    indexes: [
      { name: 'running', fields: ['running'], unique: true, sparse: true },
      { name: 'account', fields: ['account_id', 'id'] },
    ],
  },
  bill_days: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'account', fields: ['account_id', 'day'] },
      { name: 'day', fields: ['day', 'account_id'] },
    ],
  },
  bill_requests: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'account', fields: ['account_id', 'day', 'id'] },
      { name: 'account_state', fields: ['account_id', 'state', 'day', 'id'] },
      { name: 'state', fields: ['state', 'day', 'id'] },
      { name: 'day', fields: ['day', 'id'] },
    ],
  },
  cost_hours: {
    textIds: true,
    idBlock: 1,
    indexes: [
      { name: 'channel', fields: ['channel_id', 'start'] },
      { name: 'time', fields: ['start', 'id'] },
    ],
  },
} as const;
