// Mounts the routes of batches in any format, if the site allows batches.
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import { filesAreOff } from '#server/objects/read-upload.ts';
import type { RouteHost, ServeDirectly } from '#server/http/mount.ts';
import type { RelayServices } from '#server/call/services.ts';
import { createServer, type StoredAnswer, type StoredCaller } from '#server/objects/serve-caller.ts';
import { mostBatches } from './batch-store.ts';

/** Handler of another surface at a shared path. */
export interface SharedRoute {
  surface: ApiSurface;
  serve: ServeDirectly;
}

/** Returns a function that adds routes, whose errors are those of the surface. */
export function createBatchRoutes(host: RouteHost, services: RelayServices, surface: ApiSurface) {
  const serve = createServer(host, services, surface);
  return (method: string, at: string, work: (caller: StoredCaller) => Promise<StoredAnswer>, shared?: SharedRoute): void => {
    const own = serve((caller) => {
      if (mostBatches(services.context).batches === 0) throw filesAreOff(caller.path);
      return work(caller);
    });
    if (shared === undefined) return host.addDirect(method, at, own);
    host.addDirect(method, at, (request, params, connection) => {
      const { searchParams } = host.facts(request, connection).url;
      const isOther = shared.surface.isSpokenWith?.(request.headers, searchParams) === true;
      return (isOther ? shared.serve : own)(request, params, connection);
    });
  };
}
