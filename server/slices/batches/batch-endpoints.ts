// Endpoints that batch requests may call, and the channels that run them.
import type { BatchRecord } from '#server/db/records/batch.ts';
import { deploymentOf } from '#server/formats/deployment.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { type RelayEndpoint, relayEndpoints } from '#server/call/endpoints.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { BatchFormat } from './batch-format.ts';
import { claudeBatches } from './claude-batches.ts';
import { geminiBatches } from './gemini-batches.ts';
import { openaiBatches } from './openai-batches.ts';

const forms: Readonly<Record<BatchRecord['form'], BatchFormat>> = { openai: openaiBatches, claude: claudeBatches, gemini: geminiBatches };

export function formOf({ form }: Pick<BatchRecord, 'form'>): BatchFormat {
  return forms[form];
}

/** Returns undefined if batches cannot call that path. */
export function batchEndpoint({ paths }: BatchFormat, path: string): RelayEndpoint | undefined {
  return paths.includes(path) ? relayEndpoints.find((endpoint) => endpoint.path === path) : undefined;
}

/**
 * Route of a batch's requests: they are not translated, so the provider must use the caller's format. Returns null if
 * it does not.
 */
export function batchRoute(
  form: BatchFormat,
  channel: PreparedChannel,
  { path, dialect, kind }: RelayEndpoint,
  model: string,
): ChannelRoute | null {
  if (channel.provider?.runsBatches !== form.name || pathThere(channel, path) === undefined) return null;
  const route = channel.route(dialect, kind.name, model);
  return route === null || route.identity === null || route.isInPieces ? null : route;
}

/**
 * Writes a batch request for the provider.
 * @param body JSON, as in a single call
 */
export function bodyThere({ provider, setting }: Pick<PreparedChannel, 'provider' | 'setting'>, body: Buffer): Buffer {
  const { namesDeployment, jobs } = provider?.account ?? {};
  if (namesDeployment === undefined && jobs === undefined) return body;
  const { model, ...others } = parseObject(body.toString('utf8')) ?? {};
  // A job names the model once for all requests.
  if (jobs !== undefined) return Buffer.from(JSON.stringify(others));
  return typeof model === 'string' ? Buffer.from(JSON.stringify({ ...others, model: deploymentOf(model, setting) })) : body;
}

/** Provider's name of an endpoint in batches; undefined if it has no batches of such requests. */
export function pathThere({ provider }: Pick<PreparedChannel, 'provider'>, path: string): string | undefined {
  const account = provider?.account;
  return account === undefined ? path : account.endpoints[path];
}
