// Which test files run on MongoDB too, where TEST_MONGODB_URL names a server: storage, what goes wrong midway, money, and at least one
// path of every route (every kind of call: `faults/killed-calls`). What a file says of formats and prices is the same on each, and runs on
// the embedded engine alone. `TEST_ENGINES=all` runs them all on both.
const folders = ['contract', 'faults'];

/** Money, lists and sums of what is stored, edits that meet. */
const http = [
  'account-balances',
  'account',
  'bonus-once',
  'call-refunds',
  'channel-bulk',
  'channel-edits',
  'channel-figures',
  'channel-restore',
  'channels',
  'dashboard',
  'day-zones',
  'deep-pages',
  'groups',
  'invitations',
  'invite-earnings',
  'jobs',
  'log-deletion',
  'log-files',
  'log-lists',
  'log-sums',
  'logs',
  'option-history',
  'option-recovery',
  'options',
  'payment-notices',
  'redeem',
  'redemptions',
  'setup',
  'statements',
  'task-lists',
  'token-balance',
  'token-bulk-edits',
  'token-limits',
  'token-renewal',
  'tokens',
  'users',
  'wallet',
];

const relay = [
  'account-objects',
  'batches',
  'vector-stores',
  'store-attacks',
  'tuning',
  'message-batches',
  'gemini-batches',
  'gemini-videos',
  'context-caches',
  'uploads',
  'billing',
  'call-sessions',
  'chat',
  'client-disconnects',
  'cursor',
  'drawing-refunds',
  'drawings',
  'failing-channels',
  'followed-responses',
  'background-responses',
  'compaction',
  'kept-interactions',
  'kept-responses',
  'long-conversations',
  'largest-kept-bodies',
  'low-balance',
  'metadata-bounds',
  'music',
  'videos',
  'own-containers',
  'realtime',
  'realtime-secrets',
  'realtime-ends',
  'realtime-money',
  'realtime-minutes',
  'overridden-calls',
  'reported-costs',
  'session-budget',
  'sign-ins',
  'sockets',
  'stream-faults',
  'task-polling',
  'threads',
  'task-retention',
  'tokens',
  'files',
  'gemini-callers',
];

/** Every call of the console, one after the other. */
const conformance = ['codex', 'console-access', 'console-input', 'console-objects', 'console-owners'];

const isAll = process.env['TEST_ENGINES'] === 'all';
const named = Object.entries({ http, relay, conformance });

export const onBothEngines: readonly string[] = [
  ...folders.map((folder) => `tests/${folder}/**/*.test.ts`),
  ...named.flatMap(([folder, names]) => (isAll ? ['*'] : names).map((name) => `tests/${folder}/${name}.test.ts`)),
];

/** In those folders, and of one engine all the same: its file, its threads, or a database that is only there to be there. */
export const onlyEmbedded: readonly string[] = [
  'contract/embedded-file',
  'contract/embedded-threads',
  'contract/embedded-turns',
  'faults/answered-when-settled',
  'faults/failover',
  'faults/held-responses',
  'faults/killed-worker',
  'faults/last-resort',
  'faults/locked-file',
].map((name) => `tests/${name}.test.ts`);
