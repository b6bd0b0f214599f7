// Route that deletes a stored turn of a thread, so that it cannot be continued.
import { AppError } from '#shared/errors.ts';
import { surfaces } from '#server/surfaces/registry.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { ResponseStore } from '#server/slices/responses/response-store.ts';
import { createServer } from '#server/objects/serve-caller.ts';

export function mountThreads(host: RouteHost, services: RelayServices, store: ResponseStore): void {
  const serve = createServer(host, services, surfaces.anthropic);
  const remove = serve(async (caller) => {
    const id = caller.params['message'] ?? '';
    if (!(await store.remove(caller, id))) throw new AppError('thread_not_found', { id: id.slice(0, 100) });
    return { json: { id, type: 'message_deleted' } };
  });
  host.addDirect('DELETE', '/v1/messages/:message', remove);
}
