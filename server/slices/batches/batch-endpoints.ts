// What requests of a batch may ask for, and which channels work on them.
import type { BatchRecord } from '#server/db/records/batch.ts';
import { deploymentOf } from '#server/formats/deployment.ts';
import { parseObject } from '#server/framing/loose-json.ts';
import { relayEndpoints } from '#server/call/endpoints.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
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

/** Undefined: requests of a batch cannot ask for that. */
export function batchEndpoint({ paths }: BatchFormat, path: string): RelayEndpoint | undefined {
  return paths.includes(path) ? relayEndpoints.find((endpoint) => endpoint.path === path) : undefined;
}

/** The way of such requests: nobody reads them on theirs, so the provider has to speak as their caller does. Null: it does not. */
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

/** A request of a batch as the provider wants it there. @param body JSON, as of a call by itself */
export function bodyThere({ provider, setting }: Pick<PreparedChannel, 'provider' | 'setting'>, body: Buffer): Buffer {
  const { namesDeployment, jobs } = provider?.account ?? {};
  if (namesDeployment === undefined && jobs === undefined) return body;
  const { model, ...others } = parseObject(body.toString('utf8')) ?? {};
  // A job says the model of all its requests.
  if (jobs !== undefined) return Buffer.from(JSON.stringify(others));
  return typeof model === 'string' ? Buffer.from(JSON.stringify({ ...others, model: deploymentOf(model, setting) })) : body;
}

/** What the provider calls an endpoint in batches. Undefined: it has no batches of such requests. */
export function pathThere({ provider }: Pick<PreparedChannel, 'provider'>, path: string): string | undefined {
  const account = provider?.account;
  return account === undefined ? path : account.endpoints[path];
}
