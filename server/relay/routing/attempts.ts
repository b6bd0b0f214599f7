// One channel after the other, for calls and tasks alike: each is an attempt, until whoever asks has an answer and takes no further one.
import type { Attempt } from '#shared/logs.ts';
import type { CallAttempt } from '#server/relay/call-attempt.ts';
import type { Affinity } from '#server/relay/routing/affinity.ts';
import type { RelayServices } from '#server/relay/services.ts';
import type { PreparedChannel } from '#server/upstream/prepared-channel.ts';

export interface AttemptsOf {
  services: Pick<RelayServices, 'picker' | 'health' | 'context'>;
  group: string;
  model: string;
  /** Id of the user whose call it is. */
  caller: number;
  /** Null or missing: any channel is as good. */
  affinity?: Affinity | null;
  /** The one channel that may be asked; null: it is gone. Undefined: there is a choice. */
  only: PreparedChannel | null | undefined;
  /** Whether a channel that lists the model is one for this. Missing: every one is. */
  isFor?(channel: PreparedChannel): boolean;
  /** Where the log's records of them go. */
  records: Attempt[];
  /** Milliseconds since the call began. */
  elapsed(): number;
  /** No further one may begin. */
  isOver(): boolean;
}

export function* attempts({
  services,
  group,
  model,
  caller,
  affinity = null,
  only,
  isFor,
  records,
  elapsed,
  isOver,
}: AttemptsOf): Generator<CallAttempt, void> {
  const { picker, health, context } = services;
  const tried = new Set<number>();
  const most = only === undefined ? context.settings.get('RetryTimes') + 1 : 1;
  for (let made = 0; made < most && !isOver();) {
    const channel = only === undefined ? pick() : only;
    if (channel === null) return;
    tried.add(channel.id);
    const record: Attempt = { channel: channel.id, channel_name: channel.name, status: 0, start_ms: elapsed(), end_ms: 0 };
    records.push(record);
    const attempt: CallAttempt = { channel, record };
    yield attempt;
    if (attempt.isPassedOver !== true) made += 1;
    else {
      records.pop();
      if (only !== undefined) return;
    }
  }

  function pick(): PreparedChannel | null {
    for (;;) {
      const channel = picker.pick({ group, model, caller, tried, affinity });
      if (channel === null || isFor === undefined || isFor(channel)) return channel;
      health.released(channel.id, model, caller);
      tried.add(channel.id);
    }
  }
}

/** The channel that a key is bound to, as `only` has it. */
export function channelOnly({ channels }: Pick<RelayServices, 'channels'>, id: number | undefined): PreparedChannel | null | undefined {
  return id === undefined ? undefined : (channels.get(id) ?? null);
}
