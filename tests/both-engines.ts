// Which test files run on MongoDB too, where TEST_MONGODB_URL names a server: storage, what goes wrong midway, money, and at least one
// path of every route. `TEST_ENGINES=all` runs them all on it.
const folders = ['contract', 'faults'];

/** Money, lists and sums of what is stored, edits that meet. */
const http = [
  'account',
  'bonus-once',
  'call-refunds',
  'channel-edits',
  'channel-figures',
  'channel-restore',
  'channels',
  'dashboard',
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
  'token-limits',
  'tokens',
  'users',
  'wallet',
];

const relay = [
  'account-objects',
  'audio-prices',
  'billed-errors',
  'automatic-compaction',
  'billing',
  'blocked-prompts',
  'broken-caches',
  'cache-writes',
  'call-sessions',
  'channel-proxies',
  'chat',
  'claude-compaction',
  'claude-usage',
  'client-disconnects',
  'completions',
  'cursor',
  'drawing-refunds',
  'drawings',
  'embeddings',
  'failing-channels',
  'followed-responses',
  'image-edits',
  'images',
  'playground-media',
  'background-responses',
  'compaction',
  'context-edits',
  'kept-interactions',
  'kept-responses',
  'kinds-of-call',
  'largest-kept-bodies',
  'long-inputs',
  'low-balance',
  'metadata-bounds',
  'moderations',
  'music',
  'own-containers',
  'realtime',
  'rerank',
  'session-budget',
  'sockets',
  'speech',
  'spooled-forms',
  'stream-faults',
  'task-polling',
  'task-retention',
  'tokens',
  'transcripts',
  'upstream-bounds',
  'gemini-callers',
  'gemini-embeddings',
];

/** Every call of the console, one after the other. */
const conformance = [
  'bedrock',
  'cohere',
  'converse-calls',
  'ernie',
  'hunyuan',
  'console-access',
  'console-input',
  'console-objects',
  'console-owners',
];

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
