// Which call shows whether a model of a channel answers.
import { commaList } from '#shared/comma-list.ts';
import { videoNames } from '#shared/video-models.ts';
import type { CallKind } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { defaultClientDialect } from '#server/formats/registry.ts';
import type { ChannelRecord } from '#server/db/records/channel.ts';
import { hasKind, kindOfModel } from '#server/exchange/kind-of-model.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

/** Returns whether the model accepts asynchronous video orders only, each of which costs money and takes minutes. */
export function takesOrders({ provider, modelMapping }: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): boolean {
  return provider?.videos !== undefined && videoNames.test(modelMapping.get(model) ?? model);
}

/** The channel's test model, else the first that answers at once. */
export function testedModel({ test_model, models }: Pick<ChannelRecord, 'test_model' | 'models'>): string {
  const names = commaList(models);
  return test_model || (names.find((name) => !videoNames.test(name)) ?? names[0] ?? 'gpt-4o-mini');
}

/** Chooses the kind of request by the requested model and by the provider's capabilities. */
export function testKind(channel: Pick<PreparedChannel, 'provider' | 'modelMapping'>, model: string): CallKind {
  const named = kindOfModel(channel, model);
  if (named !== undefined) return callKinds[named];
  return callKinds[(['chat', 'embeddings', 'rerank'] as const).find((kind) => hasKind(channel, kind)) ?? 'chat'];
}

/** @param upstreamModel the name after the channel's mapping: what the limits depend on */
export function testBody(kind: CallKind, model: string, upstreamModel: string): Record<string, unknown> {
  const probe = kind.clientCall(defaultClientDialect)?.probe;
  if (probe === undefined) throw new Error(`There is no small call of the kind ${kind.name}`);
  return probe(model, upstreamModel);
}
