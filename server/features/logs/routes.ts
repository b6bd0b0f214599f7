import { callSessionApi } from '#shared/call-sessions.ts';
import type { Endpoint } from '#shared/contract.ts';
import { logApi } from '#shared/logs.ts';
import { mayInOrganisation } from '#shared/organisation-roles.ts';
import { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import { type Caller, type RequestFacts, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { deleteLogs } from './delete-logs.ts';
import { createLogExports } from './export-logs.ts';
import { listCallSessions } from './list-call-sessions.ts';
import { listLogs, listOwnLogs, readLog, readOwnLog } from './list-logs.ts';
import { listTokenLogs } from './list-token-logs.ts';
import { readLogTimeline } from './log-timeline.ts';
import { sumLogs } from './log-stat.ts';
import { readCallSession } from './read-call-session.ts';
import type { StreamReader } from '#server/http/reader-rights.ts';
import { refundCall } from './refund-call.ts';
import { searchLogs } from './search-logs.ts';
import { createTails } from './tail-logs.ts';
import { type TokenScope, withTokenScope } from './token-scope.ts';

export function mountLogs(host: RouteHost): void {
  mountReading(host, logApi.list, ({ context, query }) => listLogs(context, query));
  mountReading(host, logApi.stat, ({ context, query }) => sumLogs(context, query));
  mountReading(host, logApi.listSelf, async (call) => listOwnLogs(call.context, await scoped(call), signedIn(call).user.id));
  const exports = createLogExports(host);
  mount(host, logApi.remove, (call) => deleteLogs(call.context, call.query, signedIn(call).user));
  mountReading(host, logApi.search, ({ context, query }) => searchLogs(context, query.keyword));
  mountReading(host, logApi.searchSelf, async (call) =>
    searchLogs(call.context, call.query.keyword, { ...(await withTokenScope(call.context, call, {})), id: signedIn(call).user.id }),
  );
  mountReading(host, logApi.ofToken, ({ context, query, facts }) => listTokenLogs(context, query.key, facts));
  mount(host, logApi.exportAll, (call) => exports.open(call.query, readerOf(call, logApi.exportAll)));
  mount(host, logApi.exportSelf, async (call) => exports.open(await scoped(call), ownReaderOf(call, logApi.exportSelf)));
  mountReading(host, callSessionApi.list, ({ context, query }) => listCallSessions(context, query));
  mountReading(host, callSessionApi.listSelf, async (call) => listCallSessions(call.context, await scoped(call), signedIn(call).user.id));
  mount(host, callSessionApi.exportAll, (call) => exports.openSessions(call.query, readerOf(call, callSessionApi.exportAll)));
  mount(host, callSessionApi.exportSelf, async (call) =>
    exports.openSessions(await scoped(call), ownReaderOf(call, callSessionApi.exportSelf)),
  );
  mountReading(host, callSessionApi.read, ({ context, params, query }) =>
    readCallSession(context, { id: params.session, cursor: query.cursor }),
  );
  mountReading(host, callSessionApi.readSelf, async (call) => {
    const scope = await withTokenScope(call.context, call, {});
    return readCallSession(call.context, {
      id: call.params.session,
      cursor: call.query.cursor,
      ownId: signedIn(call).user.id,
      ...scope,
    });
  });
  const tails = createTails(host);
  const isAdmin = (call: { caller: Caller | null }) => signedIn(call).user.role >= Role.admin;
  mount(host, logApi.tail, (call) => tails.open(call.query, { ...readerOf(call, logApi.tail), isAdmin: true }));
  mount(host, logApi.tailSelf, async (call) =>
    tails.open(await scoped(call), { ...ownReaderOf(call, logApi.tailSelf), isAdmin: isAdmin(call) }),
  );
  mount(host, logApi.refund, (call) => refundCall(call.context, signedIn(call).user, Number(call.params.id), call.body));
  mountReading(host, logApi.read, ({ context, params }) => readLog(context, Number(params.id)));
  mountReading(host, logApi.readSelf, async (call) =>
    readOwnLog(call.context, Number(call.params.id), signedIn(call).user.id, await withTokenScope(call.context, call, {})),
  );
  mountReading(host, logApi.timeline, ({ context, query }) => readLogTimeline(context, query));
  mountReading(host, logApi.timelineSelf, async (call) => readLogTimeline(call.context, await scoped(call), signedIn(call).user.id));
  mountReading(host, logApi.statSelf, async (call) => sumLogs(call.context, await scoped(call), signedIn(call).user.id));
}

function scoped<Query extends Parameters<typeof withTokenScope>[2]>(call: {
  context: AppContext;
  caller: Caller | null;
  query: Query;
}): Promise<Query & TokenScope> {
  return withTokenScope(call.context, call, call.query);
}

interface ReaderCall {
  caller: Caller | null;
  facts: RequestFacts;
}

function readerOf(call: ReaderCall, endpoint: Endpoint): StreamReader {
  return { endpoint, facts: call.facts, userId: signedIn(call).user.id };
}

function ownReaderOf(call: ReaderCall, endpoint: Endpoint): StreamReader {
  const reader = readerOf(call, endpoint);
  const role = call.caller?.membership?.member.role;
  return { ...reader, ownId: reader.userId, readsUsage: role !== undefined && mayInOrganisation(role, 'usage') };
}
