// Logs one line per console call, without query, headers and body, which may contain codes, keys and passwords.
import type { AppContext } from '#server/context.ts';
import type { Connection } from '#server/http/connection.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';

export function logRequest(
  context: Pick<AppContext, 'log' | 'now'>,
  entry: { request: Request; path: string; response: DirectResponse; connection: Connection | null; startedAt: number },
): void {
  if (!context.log.isLevelEnabled('info')) return;
  const { request, response, connection } = entry;
  const line = {
    requestId: response.headers.get('x-oneapi-request-id'),
    method: request.method,
    path: entry.path,
    status: response.status,
    ms: Math.round(context.now() - entry.startedAt),
    peer: connection?.req.socket.remoteAddress,
  };
  context.log.info(line, 'request');
}
