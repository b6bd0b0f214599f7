// Routes of batches, in whatever format: only where the site allows them.
import type { ClientDialect } from '#server/dialects/client-dialect.ts';
import { filesAreOff } from '#server/files/read-upload.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/relay/services.ts';
import { createServer } from '#server/responses/serve-caller.ts';
import type { KeptAnswer, KeptCaller } from '#server/responses/serve-caller.ts';
import { mostBatches } from './batch-store.ts';

/** A way to add a route, whose errors are told in the format of `dialect`. */
export function createBatchRoutes(host: RouteHost, services: RelayServices, dialect: ClientDialect) {
  const serve = createServer(host, services, dialect);
  return (method: string, at: string, work: (caller: KeptCaller) => Promise<KeptAnswer>): void =>
    host.addDirect(
      method,
      at,
      serve((caller) => {
        if (mostBatches(services.context).batches === 0) throw filesAreOff(caller.path);
        return work(caller);
      }),
    );
}
