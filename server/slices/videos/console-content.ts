// Serves videos to the console by its session, without public links.
import { AppError } from '#shared/errors.ts';
import { endpoint } from '#shared/contract.ts';
import { Role } from '#shared/roles.ts';
import { taskContentRoute } from '#shared/tasks.ts';
import type { TaskRecord } from '#server/db/records/task.ts';
import type { Caller } from '#server/http/call.ts';
import { failureResponse, toAppError } from '#server/http/failure.ts';
import type { RouteHost } from '#server/http/mount.ts';
import type { RelayServices } from '#server/call/services.ts';
import { serveContent } from './serve-content.ts';

/** Video players send no custom headers. The route is read-only, and fetch metadata excludes other sites. */
const bySession = endpoint('GET', taskContentRoute, { access: 'optional' });

export function mountVideoContents(host: RouteHost, services: RelayServices): void {
  host.addDirect('GET', taskContentRoute, async (request, params, connection) => {
    const facts = host.facts(request, connection);
    const { url, language, requestId } = facts;
    try {
      if (request.headers.get('sec-fetch-site') === 'cross-site') throw new AppError('user_header_missing');
      const caller = await host.identify(facts, bySession);
      await host.limit(facts, caller);
      if (caller === null) throw new AppError('not_logged_in');
      if (caller.setCookie !== undefined) connection?.res.setHeader('set-cookie', caller.setCookie);
      const task = await findShown(host, caller, params['id'] ?? '');
      const leaving = new AbortController();
      connection?.res.once('close', () => leaving.abort());
      const variant = url.searchParams.get('variant') ?? 'video';
      const { id: userId } = caller.user;
      return await serveContent(services, task, { variant, signal: leaving.signal, userId, range: request.headers.get('range') });
    } catch (failure) {
      return failureResponse(toAppError(failure, host.context, requestId), language, requestId);
    }
  });
}

/** @throws {AppError} `video_not_found`, also for other users' videos */
async function findShown({ context: { db } }: RouteHost, { user }: Caller, id: string): Promise<TaskRecord> {
  const found = /^\d{1,15}$/.test(id) ? await db.collection('tasks').get(Number(id)) : null;
  const isShown = found?.platform === 'video' && (user.role >= Role.admin || (found.user_id === user.id && found.deleted_at === undefined));
  if (found === null || !isShown) throw new AppError('video_not_found', { id });
  return found;
}
