// Yields the attempts of a call or task: one channel after the other, until the consumer has a response and stops iterating.
import type { Attempt } from '#shared/logs.ts';
import type { ChannelAttempt } from '#server/call/call-attempt.ts';
import type { StageRun } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface AttemptsOf<Route> {
  services: Pick<RelayServices, 'picker' | 'health' | 'context'>;
  group: string;
  model: string;
  /** Id of the calling user. */
  caller: number;
  /** Stage that chooses among channels. If undefined, weight and health decide. */
  chooser?: StageRun | undefined;
  /** Only channel that may be tried; null if it no longer exists, undefined if any may. */
  only: PreparedChannel | null | undefined;
  /** Resolves the route through a channel that lists the model; null if the channel cannot take the call. Called once per attempt. */
  routeTo(channel: PreparedChannel): Route | null;
  /** Receives the attempts' entries for the log. */
  records: Attempt[];
  /** Milliseconds since the call began. */
  elapsed(): number;
  /** Reports whether no further attempt may begin. */
  isOver(): boolean;
}

/** Returns the function that begins the next attempt, once the last one has ended; null: no further one may begin. */
export function attempts<Route>(options: AttemptsOf<Route>): () => ChannelAttempt<Route> | null {
  const { services, group, model, caller, chooser, only, records } = options;
  const { picker, health, context } = services;
  const tried = new Set<number>();
  const most = only === undefined ? context.settings.get('RetryTimes') + 1 : 1;
  let made = 0;
  let last: ChannelAttempt<Route> | null = null;
  return () => {
    if (last?.isPassedOver === true) {
      records.pop();
      if (only !== undefined) return null;
    } else if (last !== null) made += 1;
    if (made >= most || options.isOver()) return null;
    for (;;) {
      const channel = only === undefined ? picker.pick({ group, model, caller, tried, chooser }) : only;
      if (channel === null) return null;
      const route = options.routeTo(channel);
      tried.add(channel.id);
      if (route === null && only === undefined) {
        health.released(channel.id, model, caller);
        continue;
      }
      const record: Attempt = { channel: channel.id, channel_name: channel.name, status: 0, start_ms: options.elapsed(), end_ms: 0 };
      records.push(record);
      return (last = { channel, route, record });
    }
  };
}

/** Returns the channel with that id as `AttemptsOf.only`. */
export function channelOnly({ channels }: Pick<RelayServices, 'channels'>, id: number | undefined): PreparedChannel | null | undefined {
  return id === undefined ? undefined : (channels.get(id) ?? null);
}
