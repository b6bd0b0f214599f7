// Environment and database → everything that handlers work with.
import path from 'node:path';
import { type Logger, pino } from 'pino';
import { createRecordingDatabase } from '#server/audit-log/recording-database.ts';
import type { AppContext } from '#server/context.ts';
import { createChangeFeed } from '#server/db/change-feed.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Database } from '#server/db/database.ts';
import type { Env } from '#server/env.ts';
import { type BodyLimits, createBodies } from '#server/http/bodies.ts';
import { decoderMemory } from '#server/http/decompress.ts';
import { createSpool, type SpoolLimits } from '#server/http/spool.ts';
import { checkMasterKey } from '#server/secrets/master-key.ts';
import { createLedger } from '#server/money/ledger.ts';
import { recordBalances } from '#server/money/recording-ledger.ts';
import { createQuotes } from '#server/money/quote.ts';
import { createDownloads } from '#server/egress/downloads.ts';
import { createEgress, type Network } from '#server/egress/egress.ts';
import { createLowBalance } from '#server/notify/low-balance.ts';
import { createMail } from '#server/notify/mail.ts';
import { createPendingWork } from '#server/process/pending-work.ts';
import { RateLimits } from '#server/rate-limits/rate-limits.ts';
import { createRandomText } from '#server/secrets/random-text.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { createSettings, type Settings } from '#server/settings/settings.ts';
import { cutCallsMs } from '#server/process/shutdown-bounds.ts';
import { type ChannelFigures, createChannelFigures } from '#server/exchange/channel-figures.ts';
import { createKeyFigures } from '#server/exchange/keys/key-figures.ts';
import { createChannelIndex } from '#server/exchange/channel-index.ts';
import { createSender } from '#server/exchange/send.ts';
import { abandonCounts } from '#server/exchange/token-estimate.ts';
import { BudgetFinder } from '#server/budgets/budget-finder.ts';
import { createKnownNames } from '#server/slices/metrics/known-names.ts';
import type { LedgerObserver } from '#server/money/ledger-observer.ts';
import type { Registry } from '#server/telemetry/registry.ts';
import type { WorkObserver } from '#server/telemetry/work-observer.ts';
import { createWorkMetrics } from '#server/slices/metrics/work-metrics.ts';
import { createMoneyMetrics } from '#server/slices/metrics/money-metrics.ts';
import { startTelemetry } from '#server/telemetry/telemetry.ts';
import { watchDatabase } from '#server/telemetry/watch-database.ts';

export interface RunningContext extends AppContext {
  /** Waits for the work that outlived its request, settles the books and closes the database. */
  close(): Promise<void>;
}

export interface ContextParts {
  env: Env;
  db: Database;
  masterKey: string;
  /** What tests replace. */
  now?: () => number;
  random?: () => number;
  log?: Logger;
  network?: Network;
  /** Maximum wait of a call for quota held elsewhere, milliseconds. */
  leaseWaitMs?: number | undefined;
}

/** Starts the caches and this process' books. `close` closes the database too. */
export async function createContext(parts: ContextParts): Promise<RunningContext> {
  const { env } = parts;
  const log = parts.log ?? pino({ level: env.LOG_LEVEL });
  const now = parts.now ?? Date.now;
  const randomText = createRandomText();
  const { telemetry, registry, db } = await measure(parts.db, env, log);
  await checkMasterKey(db, parts.masterKey);
  const secrets = createSecrets(parts.masterKey);
  const onError = (failure: unknown) => log.warn({ reason: String(failure) }, 'the change feed has a problem and continues');
  const changes = createChangeFeed({ db, now, onError });
  const settings = createSettings({ db, changes, secrets, log, basePath: env.BASE_PATH });
  const channels = createChannelIndex({ db, changes, secrets, settings, log });
  const { observer, workObserver } = createObservers(registry, { channels, settings, now });
  const ledger = createLedger({ db, changes, log, now, randomText, waitMs: parts.leaseWaitMs, observer });
  recordBalances(ledger, { db, now });
  const rateLimits = new RateLimits({ db, settings, log, now, processId: () => ledger.processId });
  const figures = followTests(changes, createChannelFigures({ db, log, now }));
  const keyFigures = createKeyFigures({ db, log, now, isMeasured: registry !== null });
  const outbound = createOutbound(parts, { settings, log });
  const quotes = createQuotes(settings);
  const lowBalance = createLowBalance({ db, settings, now });
  const budgets = new BudgetFinder({ db, changes, settings, ledger, log, now });
  const bodies = createBodies(bodyLimits(env), createSpool({ folder: spoolFolder(env), limits: spoolLimits(env), log }));
  const pending = createPendingWork();
  const closing: (() => Promise<void>)[] = [];
  await startAll({ changes, settings, channels, ledger });
  return {
    env,
    db: createRecordingDatabase(db, now),
    changes,
    settings,
    ledger,
    rateLimits,
    channels,
    figures,
    keyFigures,
    ...outbound,
    quotes,
    lowBalance,
    budgets,
    secrets,
    bodies,
    log,
    telemetry,
    workObserver,
    now,
    randomText,
    random: parts.random ?? Math.random,
    waitUntil(work) {
      pending.add(work.catch((failure: unknown) => log.error({ err: failure }, 'work after a request failed')));
    },
    onClose: (work) => void closing.push(work),
    async close() {
      await pending.done();
      // Calls whose connections have just been cut: they are notified, abort their upstream and settle what they received.
      await ledger.idle(cutCallsMs);
      await pending.done();
      for (const work of closing) await work();
      await rateLimits.stop();
      await figures.stop();
      await keyFigures.stop();
      await outbound.sender.close();
      await abandonCounts();
      await pending.done();
      channels.stop();
      bodies.watch.stop();
      await budgets.stop();
      await ledger.stop();
      await changes.stop();
      await telemetry?.stop();
      await db.close();
    },
  };
}

/** In this order. */
async function startAll({ changes, settings, channels, ledger }: Pick<AppContext, 'changes' | 'settings' | 'channels' | 'ledger'>) {
  await changes.start();
  await settings.reload();
  await channels.start();
  await ledger.start();
}

/** Everything that sends to other servers. */
function createOutbound({ env, network }: ContextParts, { settings, log }: { settings: Settings; log: Logger }) {
  const egress = createEgress(network);
  return {
    sender: createSender(),
    mail: createMail({ settings, log }),
    egress,
    downloads: createDownloads({ egress, settings, mostBytes: env.MAX_FILE_DOWNLOAD_MB * 1_000_000 }),
  };
}

/** Tests that passed in another process count in this one. */
function followTests(changes: ChangeFeed, figures: ChannelFigures): ChannelFigures {
  changes.listen('passed_test', (key) => {
    const [id, at] = String(key).split(':').map(Number);
    if (id !== undefined && at !== undefined) figures.passed(id, at);
  });
  return figures;
}

/** Starts what the environment wants measured. */
async function measure(db: Database, env: Env, log: Logger) {
  const telemetry = await startTelemetry(env, log);
  const registry = telemetry?.registry ?? null;
  return { telemetry, registry, db: registry === null ? db : watchDatabase(db, registry) };
}

/** Those who see money and long work, while they are measured. */
function createObservers(
  registry: Registry | null,
  { channels, settings, now }: Pick<AppContext, 'channels' | 'settings' | 'now'>,
): { observer: LedgerObserver | undefined; workObserver: WorkObserver | null } {
  if (registry === null) return { observer: undefined, workObserver: null };
  const names = createKnownNames(channels, registry);
  return { observer: createMoneyMetrics(registry, names, settings), workObserver: createWorkMetrics(registry, names, now) };
}

/** Copies of the largest body that must fit: as received, in flight to the upstream, for its stored part, and the share reserved for small ones. */
const largestCopies = 4;

/** One largest body always fits, with what it becomes on its way. */
function bodyLimits(env: Env): BodyLimits {
  const megabyte = 1_000_000;
  const one = env.MAX_REQUEST_BODY_MB * megabyte * largestCopies + decoderMemory;
  return {
    all: Math.max(env.MAX_BODIES_MB * megabyte, one),
    perOwner: Math.max(env.MAX_BODIES_PER_USER_MB * megabyte, one),
    timeout: env.CLIENT_TIMEOUT,
  };
}

/** Next to an embedded database. */
export function spoolFolder({ SPOOL_DIR, DATABASE_URL }: Env): string {
  if (SPOOL_DIR !== undefined) return path.resolve(SPOOL_DIR);
  const target = parseDatabaseUrl(DATABASE_URL);
  return target.kind === 'embedded' ? path.join(path.dirname(target.file), 'spool') : path.resolve('data/spool');
}

/** One largest body always fits. */
function spoolLimits({ MAX_REQUEST_BODY_MB, MAX_SPOOL_MB, MAX_SPOOL_PER_USER_MB }: Env): SpoolLimits {
  const most = (megabytes: number) => Math.max(megabytes, MAX_REQUEST_BODY_MB) * 1_000_000;
  return { all: most(MAX_SPOOL_MB), perOwner: most(MAX_SPOOL_PER_USER_MB) };
}
