import { logApi } from '#shared/logs.ts';
import { signedIn } from '#server/http/call.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { listLogs, listOwnLogs, readLog, readOwnLog } from './list-logs.ts';
import { sumLogs } from './log-stat.ts';

export function mountLogs(host: RouteHost): void {
  mount(host, logApi.list, ({ context, query }) => listLogs(context, query));
  mount(host, logApi.stat, ({ context, query }) => sumLogs(context, query));
  mount(host, logApi.listSelf, (call) => listOwnLogs(call.context, call.query, signedIn(call).user.id));
  mount(host, logApi.read, ({ context, params }) => readLog(context, Number(params.id)));
  mount(host, logApi.readSelf, (call) => readOwnLog(call.context, Number(call.params.id), signedIn(call).user.id));
  mount(host, logApi.statSelf, (call) => sumLogs(call.context, call.query, signedIn(call).user.id));
}
