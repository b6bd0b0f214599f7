// Everything that the environment may set, parsed once. A wrong value is refused at start, by name and with the reason.
import { z } from 'zod';
import { parseRange } from '#server/network/addresses.ts';
import { isServerPath } from '#shared/paths.ts';
import { withoutTrailing } from '#shared/trailing.ts';

const anyInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);
const integer = (min: number, max: number, fallback: number) => anyInteger(min, max).default(fallback);

const boolean = (fallback: boolean) =>
  z
    .string()
    .regex(/^(1|t|true|0|f|false)$/i, 'must be true or false')
    .transform((text) => /^(1|t|true)$/i.test(text))
    .default(fallback);

const ProxyList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  )
  .refine((parts) => parts.every(isRange), 'must be a comma list of addresses and CIDR ranges')
  .default([]);

/** A path without a slash at its end; empty for the root. */
const BasePath = z
  .string()
  .transform((text) => withoutTrailing(text, '/'))
  .refine(
    (text) => text === '' || /^(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(text),
    'must be a path like /ai, of letters, digits and - . _ ~',
  )
  .refine((text) => !isServerPath(text), 'must not begin with a path of the API, like /v1 or /api')
  .default('');

/** An `http` or `https` address, without a slash at its end. */
const anyAddress = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an address that begins with http:// or https://')
  .transform((text) => withoutTrailing(text, '/'));
const address = (initial: string) => anyAddress.default(initial);

const optionalAddress = anyAddress.optional();
const protocol = z.literal('http/protobuf', { error: 'must be http/protobuf' }).optional();

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/; the SDK reads further ones, such as headers and timeouts. */
const telemetryVariables = {
  /** Port of `/metrics`; 0: any free one. If undefined, none. */
  METRICS_PORT: anyInteger(0, 65535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** Opens `/metrics` on the server's port as well, and is required on METRICS_PORT. */
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 visible ASCII characters')
    .optional(),
  /** `continue`: spans of calls join the callers' traces and follow their sampling. `link`: they only refer to them. */
  TRACE_CALLERS: z.enum(['link', 'continue']).default('link'),
  OTEL_SDK_DISABLED: boolean(false),
  /** Whether spans of calls hold their prompts. */
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: boolean(false),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_METRICS_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none; METRICS_PORT serves Prometheus' }).optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], { error: 'must be otlp or none' }).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalAddress,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: optionalAddress,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalAddress,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  /** Milliseconds. */
  OTEL_METRIC_EXPORT_INTERVAL: integer(100, 86_400_000, 60_000),
  OTEL_TRACES_SAMPLER: z
    .enum(['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'])
    .default('parentbased_always_on'),
  /** Share of traces, for the samplers by ratio. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .transform(Number)
    .refine((ratio) => ratio >= 0 && ratio <= 1, 'must be between 0 and 1')
    .default(1),
  /** Spans that wait for the collector; further ones are dropped. */
  OTEL_BSP_MAX_QUEUE_SIZE: integer(1, 65_536, 2048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer(1, 65_536, 512),
  /** Milliseconds. */
  OTEL_BSP_SCHEDULE_DELAY: integer(10, 3_600_000, 5000),
  OTEL_BSP_EXPORT_TIMEOUT: integer(100, 600_000, 30_000),
};

const Variables = z.object({
  PORT: integer(0, 65535, 3000),
  HOST: z.string().default('0.0.0.0'),
  /** Path of the site below its host, where a proxy shares the host with other sites. */
  BASE_PATH: BasePath,
  /** Files of the server's certificate chain and private key in PEM; both, or none. */
  TLS_CERT: z.string().optional(),
  TLS_KEY: z.string().optional(),
  DATABASE_URL: z
    .string()
    .regex(/^(file:|mongodb:\/\/|mongodb\+srv:\/\/)/, 'must begin with file:, mongodb:// or mongodb+srv://')
    .default('file:./data/tidegate.db'),
  /** Server processes that share the port; 1 serves from the main process itself. */
  WORKERS: integer(1, 256, 1),
  TRUSTED_PROXIES: ProxyList,
  SESSION_SECRET: z
    .string()
    .min(16, 'must have at least 16 characters')
    .refine((text) => text !== 'random_string', 'must not be the example value')
    .optional(),
  /** The newest release as JSON in the shape of GitHub's `releases/latest`; without it there is no update check. */
  RELEASES_URL: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }).optional(),
  /** Required by the set-up wizard if set, so that no stranger completes it first. */
  SETUP_SECRET: z.string().optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** Megabytes (10^6 bytes) of a request body on the relay. */
  MAX_REQUEST_BODY_MB: integer(1, 1024, 64),
  /** Megabytes of request bodies that one process holds at once, read or being read; one largest body always fits. */
  MAX_BODIES_MB: integer(1, 1_048_576, 768),
  /** The same, of one user. */
  MAX_BODIES_PER_USER_MB: integer(1, 1_048_576, 256),
  /** Megabytes (10^6 bytes) of a file that is fetched from an address in a request; 0: none is. */
  MAX_FILE_DOWNLOAD_MB: integer(0, 1024, 20),
  /** Folder of forms with large files while they are served; default: `spool`, next to an embedded database, else in `data`. */
  SPOOL_DIR: z.string().optional(),
  /** Megabytes of those that one process has there at once; one largest body always fits. */
  MAX_SPOOL_MB: integer(1, 1_048_576, 4096),
  /** The same, of one user. */
  MAX_SPOOL_PER_USER_MB: integer(1, 1_048_576, 512),
  /** Folder of backups; default: `backups`, next to an embedded database, else in `data`. */
  BACKUP_DIR: z.string().optional(),
  /** Folder of databases that are uploaded to import from; default: `imports`, next to an embedded database, else in `data`. */
  IMPORT_DIR: z.string().optional(),
  /** Largest of them, in MB. */
  MAX_IMPORT_MB: integer(1, 1_048_576, 20_480),
  /** Seconds in which a client must bring or take 4 KiB of what it sends or reads, or its connection ends. */
  CLIENT_TIMEOUT: integer(1, 3600, 60),
  /** WebSockets that one user may have open at one process. */
  MAX_SOCKETS_PER_USER: integer(1, 100_000, 16),
  /** Megabytes that all WebSockets of one process may take while they are idle, 40 kB each. */
  MAX_SOCKETS_MB: integer(1, 1_048_576, 256),
  /** Seconds without any byte of a streamed response; doubled for o1 and o3 models. */
  STREAMING_TIMEOUT: integer(1, 86_400, 60),
  /** Seconds until an upstream's stream begins, or its whole response is there. */
  RELAY_TIMEOUT: integer(1, 86_400, 600),
  /** Seconds between keep-alive signs to a streaming client that receives nothing. */
  STREAM_KEEPALIVE: integer(1, 3600, 15),
  FORCE_STREAM_OPTION: boolean(true),
  /** Seconds that open streams get to finish after SIGTERM. */
  SHUTDOWN_GRACE: integer(0, 3600, 30),
  /** Seconds that calls get to finish in a worker that another one has replaced. */
  RESTART_GRACE: integer(0, 86_400, 600),
  GLOBAL_API_RATE_LIMIT_ENABLE: boolean(true),
  GLOBAL_API_RATE_LIMIT: integer(1, 1_000_000, 180),
  GLOBAL_API_RATE_LIMIT_DURATION: integer(1, 86_400, 180),
  /** Minutes between tests of all channels; 0: none by the clock. */
  CHANNEL_TEST_FREQUENCY: integer(0, 525_600, 0),
  /** The same for balances. */
  CHANNEL_UPDATE_FREQUENCY: integer(0, 525_600, 0),
  /** Seconds between channels whose tests or balances run together. */
  POLLING_INTERVAL: integer(0, 3600, 0),
  GENERATE_DEFAULT_TOKEN: boolean(false),
  /** Where the services of sign-in are: another GitHub, or a mirror. */
  GITHUB_URL: address('https://github.com'),
  GITHUB_API_URL: address('https://api.github.com'),
  LINUXDO_URL: address('https://connect.linux.do'),
  TELEGRAM_OAUTH_URL: address('https://oauth.telegram.org'),
  TURNSTILE_URL: address('https://challenges.cloudflare.com'),
  ...telemetryVariables,
});

const Environment = Variables.refine(({ TLS_CERT, TLS_KEY }) => (TLS_CERT === undefined) === (TLS_KEY === undefined), {
  path: ['TLS_CERT'],
  error: 'and TLS_KEY must be set together',
});

function isRange(text: string): boolean {
  try {
    parseRange(text);
    return true;
  } catch {
    return false;
  }
}

/** For tests of files that set variables. */
export const environmentNames: readonly string[] = Object.keys(Variables.shape);

export type Env = z.output<typeof Environment>;

export class EnvironmentError extends Error {}

/** @throws {EnvironmentError} with one line per wrong value. Empty texts count as not set. */
export function readEnv(source: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const result = Environment.safeParse(given);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new EnvironmentError(`The configuration is wrong: ${lines.join('; ')}`);
}
