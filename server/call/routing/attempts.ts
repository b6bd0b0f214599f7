// Yields the attempts of a call or task: one channel after the other, and one key after the other of a channel with several,
// until the consumer has a response and stops iterating.
import type { Attempt } from '#shared/logs.ts';
import type { ChannelAttempt } from '#server/call/call-attempt.ts';
import type { StageRun } from '#server/call/stages.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { KeyUse } from './key-picker.ts';

export interface AttemptsOf<Route> {
  services: Pick<RelayServices, 'picker' | 'health' | 'keys' | 'context'>;
  group: string;
  /** Moves the call on to another group, once no channel of the current one is left; undefined if there is none. */
  nextGroup?: () => string | undefined;
  model: string;
  /** Id of the calling user. */
  caller: number;
  /** Stage that chooses among channels. If undefined, weight and health decide. */
  chooser?: StageRun | undefined;
  /** Stages of the call, which may accept certain keys of a channel only. */
  stages?: readonly StageRun[];
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

/** Further keys of channels that a call may be sent with beyond its retries, because their providers refused the ones before. */
const mostRefusedKeys = 8;
const noStages: readonly StageRun[] = [];
const noKeys: ReadonlySet<number> = new Set();

/** Returns the function that begins the next attempt, once the last one has ended; null: no further one may begin. */
export function attempts<Route>(options: AttemptsOf<Route>): () => ChannelAttempt<Route> | null {
  const { services, model, caller, chooser, only, records, stages = noStages } = options;
  let { group } = options;
  const { picker, health, keys, context } = services;
  const tried = new Set<number>();
  let triedKeys: Set<number> | undefined;
  const most = only === undefined ? context.settings.get('RetryTimes') + 1 : 1;
  let made = 0;
  let refusedKeys = 0;
  let last: ChannelAttempt<Route> | null = null;
  /** Channel of the last attempt, as it was picked. */
  let lastPicked: PreparedChannel | undefined;

  /** Begins the use of a key; null if no key may take the call. With `isForced`, keys that rest may. */
  function useKey(channel: PreparedChannel, isForced: boolean): KeyUse | null {
    const use = keys.pick(channel, { model, caller, tried: triedKeys ?? noKeys, stages, chooser }, isForced);
    if (use !== null) (triedKeys ??= new Set()).add(use.channel.keyId);
    return use;
  }

  function begin(channel: PreparedChannel, route: Route | null, keyUse: KeyUse | undefined): ChannelAttempt<Route> {
    const record: Attempt = { channel: channel.id, channel_name: channel.name, status: 0, start_ms: options.elapsed(), end_ms: 0 };
    records.push(record);
    return (last = { channel, route, record, keyUse });
  }

  /** Begins an attempt with another key of the same channel; null if none is ready. */
  function beginAgain(channel: PreparedChannel): ChannelAttempt<Route> | null {
    const keyUse = useKey(channel, false);
    if (keyUse === null) return null;
    const route = options.routeTo(keyUse.channel);
    if (route !== null || only !== undefined) return begin(keyUse.channel, route, keyUse);
    keyUse.ended('unsent');
    return null;
  }

  return () => {
    if (last?.isPassedOver === true) {
      records.pop();
      if (only !== undefined) return null;
    } else if (last !== null) {
      made += 1;
      const isFree = last.keyRefusal === 'certain' && refusedKeys < mostRefusedKeys;
      if (lastPicked !== undefined && last.keyRefusal !== undefined && (isFree || made < most) && !options.isOver()) {
        const attempt = beginAgain(lastPicked);
        if (attempt !== null && isFree) {
          refusedKeys += 1;
          made -= 1;
        }
        if (attempt !== null) return attempt;
      }
    }
    if (made >= most || options.isOver()) return null;
    for (;;) {
      const picked = only === undefined ? picker.pick({ group, model, caller, tried, chooser }) : only;
      if (picked === null) {
        const next = only === undefined ? options.nextGroup?.() : undefined;
        if (next === undefined) return null;
        group = next;
        continue;
      }
      const keyUse = picked.keys === undefined ? undefined : useKey(picked, true);
      const channel = keyUse?.channel ?? picked;
      const route = keyUse === null ? null : options.routeTo(channel);
      tried.add(picked.id);
      if (keyUse === null && only !== undefined) return null;
      if (keyUse === null || (route === null && only === undefined)) {
        keyUse?.ended('unsent');
        health.released(picked.id, model, caller);
        continue;
      }
      lastPicked = picked;
      return begin(channel, route, keyUse);
    }
  };
}

/** Returns the channel with that id as `AttemptsOf.only`. */
export function channelOnly({ channels }: Pick<RelayServices, 'channels'>, id: number | undefined): PreparedChannel | null | undefined {
  return id === undefined ? undefined : (channels.get(id) ?? null);
}
