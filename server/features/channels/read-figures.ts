import { type ChannelFigureSheet, figureHours, hourSeconds } from '#shared/channels.ts';
import type { AppContext } from '#server/context.ts';
import { type ChannelHour, hourOf } from '#server/exchange/channel-figures.ts';
import { addFirstBytes, type FirstByteBucket, medianFirstByte } from '#server/exchange/first-byte-buckets.ts';

/** The last day of every channel that was called in it and still exists. */
export async function readFigures({ now, channels, figures }: AppContext): Promise<ChannelFigureSheet> {
  const time = now();
  const since = hourOf(time) - (figureHours - 1) * hourSeconds;
  const byChannel = Map.groupBy(await figures.read(since), (hour) => hour.channelId);
  return {
    time: Math.floor(time / 1000),
    since,
    channels: [...byChannel]
      .filter(([id]) => channels.get(id) !== undefined)
      .sort(([one], [other]) => one - other)
      .map(([id, hours]) => ({ id, ...summary(hours, since) }))
      .filter(({ calls }) => calls > 0),
  };
}

function summary(hours: readonly ChannelHour[], since: number): Omit<ChannelFigureSheet['channels'][number], 'id'> {
  const pairs = Array.from({ length: figureHours }, (): [number, number] => [0, 0]);
  const firstBytes: FirstByteBucket[] = [];
  let [promptTokens, cachedTokens] = [0, 0];
  for (const { hour, calls, failures, firstBytes: counted, ...tokens } of hours) {
    promptTokens += tokens.promptTokens;
    cachedTokens += tokens.cachedTokens;
    // A process whose clock is ahead is already in the next hour.
    const pair = pairs[Math.min(Math.floor((hour - since) / hourSeconds), figureHours - 1)];
    if (pair === undefined) continue;
    pair[0] += calls;
    pair[1] += failures;
    addFirstBytes(firstBytes, counted);
  }
  const calls = pairs.reduce((sum, pair) => sum + pair[0], 0);
  const failures = pairs.reduce((sum, pair) => sum + pair[1], 0);
  return {
    calls,
    failures,
    first_byte_ms: medianFirstByte(firstBytes),
    hours: pairs,
    prompt_tokens: promptTokens,
    cached_tokens: cachedTokens,
  };
}
