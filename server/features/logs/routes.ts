import { logApi } from '#shared/logs.ts';
import { signedIn } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { deleteLogs } from './delete-logs.ts';
import { createExports } from './export-logs.ts';
import { listLogs, listOwnLogs, readLog, readOwnLog } from './list-logs.ts';
import { listTokenLogs } from './list-token-logs.ts';
import { sumLogs } from './log-stat.ts';
import { searchLogs } from './search-logs.ts';
import { createTails } from './tail-logs.ts';

export function mountLogs(host: RouteHost): void {
  mount(host, logApi.list, ({ context, query }) => listLogs(context, query));
  mount(host, logApi.stat, ({ context, query }) => sumLogs(context, query));
  mount(host, logApi.listSelf, (call) => listOwnLogs(call.context, call.query, signedIn(call).user.id));
  const exports = createExports(host.context);
  mount(host, logApi.remove, (call) => deleteLogs(call.context, call.query, signedIn(call).user));
  mount(host, logApi.search, ({ context, query }) => searchLogs(context, query.keyword));
  mount(host, logApi.searchSelf, (call) => searchLogs(call.context, call.query.keyword, signedIn(call).user.id));
  mount(host, logApi.ofToken, ({ context, query, facts }) => listTokenLogs(context, query.key, facts));
  mount(host, logApi.exportAll, (call) => exports.open(call.query, { caller: signedIn(call).user.id }));
  mount(host, logApi.exportSelf, (call) => {
    const { id } = signedIn(call).user;
    return exports.open(call.query, { caller: id, ownId: id });
  });
  const tails = createTails(host);
  mount(host, logApi.tail, (call) => tails.open(call.query, { endpoint: logApi.tail, facts: call.facts, userId: signedIn(call).user.id }));
  mount(host, logApi.tailSelf, (call) => {
    const { id } = signedIn(call).user;
    return tails.open(call.query, { endpoint: logApi.tailSelf, facts: call.facts, userId: id, ownId: id });
  });
  mount(host, logApi.read, ({ context, params }) => readLog(context, Number(params.id)));
  mount(host, logApi.readSelf, (call) => readOwnLog(call.context, Number(call.params.id), signedIn(call).user.id));
  mount(host, logApi.statSelf, (call) => sumLogs(call.context, call.query, signedIn(call).user.id));
}
