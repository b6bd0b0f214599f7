// On a site that has been used: which channel and which models the guide is about.
import { type Channel, ChannelStatus } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { onlyTakesOrders } from '#pwa/api/chat-models.ts';

interface Known {
  /** Ids of channels that fail. */
  failing: ReadonlySet<number>;
  /** The channel that answered the newest call. */
  answered?: number | undefined;
}

/** The one that answered last, one that passed its test, one that answers calls, any: of those that fail only where all do. */
export function workingChannel(channels: readonly Channel[], { failing, answered }: Known): Channel | undefined {
  const enabled = channels.filter(({ status }) => status === ChannelStatus.enabled);
  const well = enabled.filter(({ id }) => !failing.has(id));
  const among = well.length === 0 ? enabled : well;
  return (
    among.find(({ id }) => id === answered) ??
    among.find((channel) => answersCalls(channel) && channel.test_time > 0 && channel.test_error === '') ??
    among.find(answersCalls) ??
    among[0]
  );
}

/** Models that enabled channels have and only such that fail. */
export function failingModels(channels: readonly Channel[], failing: ReadonlySet<number>): ReadonlySet<string> {
  const enabled = channels.filter(({ status }) => status === ChannelStatus.enabled);
  const modelsOf = (some: readonly Channel[]) => some.flatMap(({ models }) => commaList(models));
  const well = new Set(modelsOf(enabled.filter(({ id }) => !failing.has(id))));
  return new Set(modelsOf(enabled).filter((model) => !well.has(model)));
}

/** False: it takes orders of drawings, music or videos only. */
function answersCalls({ models }: Channel): boolean {
  return !onlyTakesOrders(commaList(models));
}
