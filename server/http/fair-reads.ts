// Serializes expensive reads fairly between accounts.
import type { Endpoint } from '#shared/contract.ts';
import { readingFor } from '#server/db/reading-for.ts';
import { AccountLines } from '#server/queues/account-lines.ts';
import type { Caller, Handler, RequestFacts } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { mount, type RouteHost } from '#server/http/mount.ts';

/** Maximum requests of an account that read or wait. */
const mostAtOnce = 40;
const requests = new AccountLines({ atOnce: mostAtOnce, places: 0 });

/** Same as `mount`, for read-only handlers. Rejects requests beyond the limit with `rate_limited`. */
export function mountReading<E extends Endpoint>(host: RouteHost, endpoint: E, handler: Handler<E>): void {
  mount(host, endpoint, (call) => {
    const account = readerName(call);
    return requests.run(account, async () => readingFor(account, () => handler(call)));
  });
}

/** Anonymous callers are identified by address. */
function readerName({ caller, facts }: { caller: Caller | null; facts: RequestFacts }): string {
  return caller === null ? `address:${subscriberOf(facts.ip)}` : accountName(caller.user.id);
}

export function accountName(userId: number): string {
  return `user:${userId}`;
}
