// `/metrics` on a port of its own, which proxies do not forward and firewalls can close.
import { createServer, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { mayReadMetrics } from '#server/telemetry/metrics-token.ts';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MetricsServerOptions {
  port: number;
  host: string;
  token: string | undefined;
  log: Pick<Logger, 'warn'>;
  /** Returns the metrics as text. */
  scrape(): Promise<string>;
}

const mostConnections = 64;

/** @throws {Error} if the address cannot be used */
export async function startMetricsServer({ port, host, token, log, scrape }: MetricsServerOptions): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5000, keepAliveTimeout: 65_000 }, (request, response) => {
    if (/^[^?]*/.exec(request.url ?? '')?.[0] !== '/metrics') return end(response, 404, 'Not found\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405, 'Method not allowed\n');
    if (!mayReadMetrics(token, request.headers.authorization)) {
      response.setHeader('www-authenticate', 'Bearer');
      return end(response, 401, 'METRICS_TOKEN is required\n');
    }
    scrape().then(
      (text) => {
        response.setHeader('content-type', metricsType);
        end(response, 200, text);
      },
      (failure: unknown) => {
        log.warn({ reason: String(failure) }, 'metrics could not be collected');
        end(response, 503, 'Metrics could not be collected\n');
      },
    );
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.unref();
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.end(text);
}
