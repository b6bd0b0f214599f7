// Selects one key of a channel that has several: by the call's conversation, else by weight and load. A key that cools down gets no
// calls; after its cool-down one call at a time tries it.
import { fitsChannel, type StageRun } from '#server/call/stages.ts';
import type { ChannelKeys, KeyOfChannel } from '#server/exchange/keys/channel-keys.ts';
import { exhaustedUntil } from '#server/exchange/keys/rate-limit-headers.ts';
import type { KeyFigures } from '#server/exchange/keys/key-figures.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import type { ResponseHeaders } from '#server/exchange/send.ts';
import type { ChannelHealth } from './channel-health.ts';
import { weightedIndex } from './weighted-index.ts';

/** Use of a key by one attempt. */
export interface KeyUse {
  /** Channel with the key. */
  readonly channel: PreparedChannel;
  /** Reads what remains of the key's rate limits. */
  responded(headers: ResponseHeaders | undefined): void;
  /** Ends the use; the first call counts. `unsent`: no call was sent, or nothing is known of it. */
  ended(outcome: 'answered' | 'failed' | 'unsent'): void;
}

export interface KeyRequest {
  model: string;
  /** Id of the calling user. */
  caller: number;
  /** Ids of keys that the call was sent with. */
  tried: ReadonlySet<number>;
  /** Stages of the call, which may accept certain keys only. */
  stages: readonly StageRun[];
  /** Stage that chooses among channels, and among keys. */
  chooser?: StageRun | undefined;
}

export interface KeyPicker {
  /** Reports whether a key can take a call of the model now. */
  isReady(channel: PreparedChannel, request: Pick<KeyRequest, 'model' | 'caller'> & Partial<Pick<KeyRequest, 'tried'>>): boolean;
  /** Begins the use of a key; null if no key may take the call. Without `isForced`, keys that cool down may not. */
  pick(channel: PreparedChannel, request: KeyRequest, isForced: boolean): KeyUse | null;
  /** Returns the channel with a key for a request that is no call, such as a count of tokens. */
  anyOf(channel: PreparedChannel, request: Pick<KeyRequest, 'model' | 'caller'>): PreparedChannel;
}

interface Dependencies {
  /** By ids of keys. */
  health: Pick<ChannelHealth, 'factor' | 'admit' | 'pause' | 'pausedUntil'>;
  figures: Pick<KeyFigures, 'called'>;
  /** Called when a response leaves nothing of a key's limits for the model. */
  onExhausted(key: KeyOfChannel, pause: { model: string; until: number; status: number }): void;
  /** Returns a random number in [0, 1). */
  random(): number;
  now(): number;
}

/** Draws before all keys are compared. */
const quickDraws = 4;
const none: ReadonlySet<number> = new Set();

export function createKeyPicker({ health, figures, onExhausted, random, now }: Dependencies): KeyPicker {
  /** Calls in progress by key id. */
  const running = new Map<number, number>();
  const loadOf = (id: number): number => running.get(id) ?? 0;
  const hasRoom = ({ id, record }: KeyOfChannel): boolean => record.most_parallel <= 0 || loadOf(id) < record.most_parallel;
  const isReadyKey = (key: KeyOfChannel, { model, caller, tried = none }: Parameters<KeyPicker['isReady']>[1]): boolean =>
    !tried.has(key.id) && hasRoom(key) && health.factor(key.id, model, caller) > 0;
  const draw = (keys: ChannelKeys, isFit: (key: KeyOfChannel) => boolean) =>
    drawFit(keys, { isFit, random, shareOf: (key) => loadOf(key.id) / weightOf(key) });

  function choose(keys: ChannelKeys, request: KeyRequest, isForced: boolean): KeyOfChannel | null {
    const { chooser, stages } = request;
    const fits = (key: KeyOfChannel) => stages.length === 0 || fitsChannel(stages, key.channel);
    const isFit = (key: KeyOfChannel) => isReadyKey(key, request) && fits(key);
    // If the conversation is unknown, it has no place.
    const hasPlace = chooser?.placeOf?.(0, 1) !== undefined;
    const placeOf = (key: KeyOfChannel) => chooser?.placeOf?.(key.id, weightOf(key)) ?? Infinity;
    const found = hasPlace ? lowest(keys.enabled, (key) => (isFit(key) ? placeOf(key) : Infinity)) : draw(keys, isFit);
    if (found !== null || !isForced) return found;
    // Every key cools down: the one whose cool-down ends first, as a failing channel is tried if no other is left.
    const { model, caller, tried } = request;
    return lowest(keys.enabled, (key) =>
      tried.has(key.id) || !hasRoom(key) || !fits(key) ? Infinity : health.pausedUntil(key.id, model, caller),
    );
  }

  function use(key: KeyOfChannel, { model, caller }: KeyRequest): KeyUse {
    const { id, channel } = key;
    running.set(id, loadOf(id) + 1);
    health.admit(id, model, caller);
    let isOver = false;
    return {
      channel,
      responded(headers) {
        const until = exhaustedUntil(headers, now());
        if (until === 0) return;
        health.pause(id, model, until);
        onExhausted(key, { model, until, status: 200 });
      },
      ended(outcome) {
        if (isOver) return;
        isOver = true;
        const load = loadOf(id) - 1;
        if (load > 0) running.set(id, load);
        else running.delete(id);
        if (outcome !== 'unsent') figures.called({ id, channelId: channel.id }, outcome === 'failed');
      },
    };
  }

  return {
    isReady: ({ keys }, request) => keys === undefined || keys.enabled.some((key) => isReadyKey(key, request)),
    pick(channel, request, isForced) {
      const key = channel.keys === undefined ? null : choose(channel.keys, request, isForced);
      return key === null ? null : use(key, request);
    },
    anyOf: (channel, request) =>
      channel.keys === undefined ? channel : (draw(channel.keys, (key) => isReadyKey(key, request)) ?? channel.keys.lead).channel,
  };
}

interface Drawing {
  isFit(key: KeyOfChannel): boolean;
  /** Load of a key by its weight. */
  shareOf(key: KeyOfChannel): number;
  random(): number;
}

/** Draws two keys by weight and returns the one with less load, so that equal keys share evenly and slow ones get less. */
function drawFit(keys: ChannelKeys, { isFit, shareOf, random }: Drawing): KeyOfChannel | null {
  let found: KeyOfChannel | null = null;
  for (let at = 0; at < quickDraws; at += 1) {
    const key = drawn(keys, random());
    if (key === undefined || !isFit(key)) continue;
    if (found !== null) return shareOf(key) < shareOf(found) ? key : found;
    found = key;
  }
  return found ?? lowest(keys.enabled, (key) => (isFit(key) ? shareOf(key) + random() / 1e6 : Infinity));
}

/** Returns the first key whose running sum of weights exceeds the point. */
function drawn({ enabled, sums }: ChannelKeys, share: number): KeyOfChannel | undefined {
  return enabled[weightedIndex(sums, share * (sums.at(-1) ?? 0))];
}

function weightOf({ record }: KeyOfChannel): number {
  return Math.max(1, record.weight);
}

function lowest(keys: readonly KeyOfChannel[], placeOf: (key: KeyOfChannel) => number): KeyOfChannel | null {
  let found: KeyOfChannel | null = null;
  let least = Infinity;
  for (const key of keys) {
    const place = placeOf(key);
    if (place >= least) continue;
    least = place;
    found = key;
  }
  return found;
}
