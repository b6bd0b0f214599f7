// `/metrics` on the server's port, only if METRICS_TOKEN is set and sent.
import { AppError } from '#shared/errors.ts';
import type { RouteHost } from '#server/http/mount.ts';
import { metricsType } from '#server/telemetry/metrics-server.ts';
import { mayReadMetrics } from '#server/telemetry/metrics-token.ts';

export function mountMetrics(host: RouteHost): void {
  const { env, telemetry, log } = host.context;
  host.add('GET', '/metrics', async (request, _params, connection) => {
    if (telemetry === null || env.METRICS_TOKEN === undefined) throw new AppError('invalid_url');
    const { requestId } = host.facts(request, connection);
    const headers = { 'cache-control': 'no-store', 'x-oneapi-request-id': requestId };
    if (!mayReadMetrics(env.METRICS_TOKEN, request.headers.get('authorization'))) {
      return new Response('METRICS_TOKEN is required\n', { status: 401, headers: { ...headers, 'www-authenticate': 'Bearer' } });
    }
    try {
      return new Response(await telemetry.scrape(), { headers: { ...headers, 'content-type': metricsType } });
    } catch (failure) {
      log.warn({ requestId, reason: String(failure) }, 'metrics could not be collected');
      return new Response('Metrics could not be collected\n', { status: 503, headers });
    }
  });
}
