import { AppError } from '#shared/errors.ts';
import { mayActOn } from '#shared/roles.ts';
import { statementApi } from '#shared/statement.ts';
import { respond, signedIn } from '#server/http/call.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';
import { mountReading } from '#server/http/fair-reads.ts';
import { createBalanceExports } from './export-balances.ts';
import { listBalances, readBalanceSums } from './list-balances.ts';
import { readStatement } from './read-statement.ts';

export function mountStatements(host: RouteHost): void {
  const exports = createBalanceExports(host);
  mountReading(host, statementApi.ofAll, async ({ context, query }) => {
    const { page, span } = await listBalances(context, query);
    return respond(page, { extra: span });
  });
  mountReading(host, statementApi.sumOfAll, ({ context, query }) => readBalanceSums(context, query));
  mount(host, statementApi.exportAll, (call) =>
    exports.open(call.query, { endpoint: statementApi.exportAll, facts: call.facts, userId: signedIn(call).user.id }),
  );
  mountReading(host, statementApi.own, (call) => readStatement(call.context, signedIn(call).user, call.query));
  mountReading(host, statementApi.ofUser, async (call) => {
    const { context, params, query } = call;
    const caller = signedIn(call).user;
    const user = await context.db.collection('users').get(Number(params.id));
    if (user === null) throw new AppError('user_not_found');
    if (user.id !== caller.id && !mayActOn(caller.role, user.role)) throw new AppError('user_read_denied');
    return readStatement(context, user, query);
  });
}
