// Health of this process, for load balancers and orchestrators. Once the process ends, all of them are 503 as everything else.
import type { AppContext } from '#server/context.ts';
import type { RouteHost, Serve } from '#server/http/mount.ts';

interface Health {
  status: 200 | 503;
  body: object;
}

/** Seconds without the changes of other processes after which this one is not ready: revoked keys would still work here. */
const mostLagSeconds = 15;

export function mountHealth(host: RouteHost): void {
  const { context } = host;
  host.add('GET', '/livez', serveHealth(host, alive));
  host.add(
    'GET',
    '/healthz',
    serveHealth(host, () => healthOf(context)),
  );
  host.add(
    'GET',
    '/readyz',
    serveHealth(host, () => readinessOf(context)),
  );
}

/** Requests that come while one is answered get its answer: the database is pinged once. */
function serveHealth(host: RouteHost, read: () => Promise<Health>): Serve {
  let reading: Promise<Health> | undefined;
  return async (request, _params, connection) => {
    const { requestId } = host.facts(request, connection);
    reading ??= read().finally(() => {
      reading = undefined;
    });
    const { status, body } = await reading;
    return Response.json(body, { status, headers: { 'cache-control': 'no-store', 'x-oneapi-request-id': requestId } });
  };
}

/** The process runs. Nothing else counts: a restart repairs no database. */
function alive(): Promise<Health> {
  return Promise.resolve({ status: 200, body: { status: 'ok' } });
}

/** The database answers and calls are settled. */
async function healthOf({ db, log, ledger }: AppContext): Promise<Health> {
  const refused = (status: string): Health => ({ status: 503, body: { status } });
  if (!(await isReachable({ db, log }))) return refused('database unavailable');
  // Calls stay unsettled although the database responds: an operator has to check.
  if (ledger.isStuck) return refused('settlements are stuck');
  // It may be read and not written: a full disk.
  if (!ledger.canWrite) return refused('the database takes no writes');
  return { status: 200, body: { status: 'ok' } };
}

/** This process may get calls: it also knows the changes that other processes made. */
async function readinessOf({ db, log, ledger, changes }: AppContext): Promise<Health> {
  const database = await isReachable({ db, log });
  const lag = changes.lagMs / 1000;
  const checks = { database, settlements: !ledger.isStuck, writes: ledger.canWrite, change_feed: lag <= mostLagSeconds };
  const isReady = Object.values(checks).every(Boolean);
  const body = {
    status: isReady ? 'ready' : 'not ready',
    engine: db.kind,
    checks,
    change_feed_lag_seconds: Math.round(lag * 10) / 10,
  };
  return { status: isReady ? 200 : 503, body };
}

async function isReachable({ db, log }: Pick<AppContext, 'db' | 'log'>): Promise<boolean> {
  try {
    await db.ping();
    return true;
  } catch (failure) {
    log.warn({ err: failure }, 'the database does not answer the health check');
    return false;
  }
}
