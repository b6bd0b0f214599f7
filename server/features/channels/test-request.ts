// Which call shows whether a model of a channel answers.
import type { CallKind, CallKindName } from '#server/calls/call-kind.ts';
import { callKinds } from '#server/calls/registry.ts';
import { defaultClientDialect } from '#server/dialects/registry.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

/** By the model that is asked, and by what the provider can do at all. */
export function testKind(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): CallKind {
  const does = (kind: CallKindName) => Object.values(channel.provider?.formats ?? {}).some(({ paths }) => paths[kind] !== undefined);
  if (!does('chat')) return callKinds.embeddings;
  const isEmbedding = /embed|bge-|^m3e/i.test(channel.modelMapping.get(model) ?? model);
  return isEmbedding && does('embeddings') ? callKinds.embeddings : callKinds.chat;
}

/** @param upstreamModel the name after the channel's mapping: what the limits depend on */
export function testBody(kind: CallKind, model: string, upstreamModel: string): Record<string, unknown> {
  const probe = kind.clientCall(defaultClientDialect)?.probe;
  if (probe === undefined) throw new Error(`There is no small call of the kind ${kind.name}`);
  return probe(model, upstreamModel);
}
