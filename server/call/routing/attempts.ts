// Tries one channel after the other, for calls and tasks alike: each is an attempt, until the consumer has an answer and takes no further one.
import type { Attempt } from '#shared/logs.ts';
import type { ChannelAttempt } from '#server/call/call-attempt.ts';
import type { StageRun } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';

export interface AttemptsOf<Route> {
  services: Pick<RelayServices, 'picker' | 'health' | 'context'>;
  group: string;
  model: string;
  /** Id of the user whose call it is. */
  caller: number;
  /** The stage that chooses among channels. If undefined, any channel is as good. */
  chooser?: StageRun | undefined;
  /** The only channel that may be tried; null: it is gone. Undefined: there is a choice. */
  only: PreparedChannel | null | undefined;
  /** How it goes through a channel that lists the model; null: that one is not for this. Resolved once per attempt. */
  routeTo(channel: PreparedChannel): Route | null;
  /** Where the log's records of them go. */
  records: Attempt[];
  /** Milliseconds since the call began. */
  elapsed(): number;
  /** No further one may begin. */
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

/** The channel that a key is bound to, as `only` has it. */
export function channelOnly({ channels }: Pick<RelayServices, 'channels'>, id: number | undefined): PreparedChannel | null | undefined {
  return id === undefined ? undefined : (channels.get(id) ?? null);
}
