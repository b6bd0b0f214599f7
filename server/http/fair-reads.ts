// Endpoints that may look through many rows take turns, account by account.
import type { Endpoint } from '#shared/contract.ts';
import { readingFor } from '#server/db/reading-for.ts';
import { AccountLines } from '#server/queues/account-lines.ts';
import type { Caller, Handler, RequestFacts } from '#server/http/call.ts';
import { subscriberOf } from '#server/http/client-address.ts';
import { mount } from '#server/http/mount.ts';
import type { RouteHost } from '#server/http/mount.ts';

/** Requests of one account that read, or wait for their turn to. */
const mostAtOnce = 40;
const requests = new AccountLines({ atOnce: mostAtOnce, places: 0 });

/** As `mount`, for handlers that only read. Of too many at once the last ones are refused: `rate_limited`. */
export function mountReading<E extends Endpoint>(host: RouteHost, endpoint: E, handler: Handler<E>): void {
  mount(host, endpoint, (call) => {
    const account = readerName(call);
    return requests.run(account, async () => readingFor(account, () => handler(call)));
  });
}

/** Whoever is not signed in goes by the address. */
function readerName({ caller, facts }: { caller: Caller | null; facts: RequestFacts }): string {
  return caller === null ? `address:${subscriberOf(facts.ip)}` : accountName(caller.user.id);
}

export function accountName(userId: number): string {
  return `user:${userId}`;
}
