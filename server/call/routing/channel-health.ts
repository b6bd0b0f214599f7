// Tracks the recent health of channels, in this process. A channel that fails now and then is drawn less often; one that fails repeatedly or requests
// a pause gets no calls for a while and then one trial call at a time. A failure that one caller may have caused counts for that caller alone, until
// other callers see it, too.
import { isUnclear } from '#server/exchange/failure-consequences.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { createRefusedCallers } from './refused-callers.ts';

/** `caller`: id of the user whose call it is. */
export interface ChannelHealth {
  /** A response came, or at least began. */
  succeeded(channelId: number, model: string, caller: number): void;
  /** Returns whether the channel, or the model on it, caused the failure, and not a single caller. */
  failed(channelId: number, model: string, failure: HealthFailure, caller: number): boolean;
  /** A call ended without information: the client left before the upstream responded. */
  released(channelId: number, model: string, caller: number): void;
  /** From 0 (leave alone) to 1 (well): how much of its weight the channel should have. */
  factor(channelId: number, model: string, caller: number): number;
  /** Says that a call goes there. Takes the only place when the channel is being tried again. */
  admit(channelId: number, model: string, caller: number): void;
  /** Forgets what is known of the channel, because an administrator changed it. */
  forget(channelId: number): void;
}

export type HealthFailure = Pick<UpstreamFailure, 'status' | 'upstreamStatus' | 'kind' | 'retryAfter' | 'concerns'>;

/** State of one channel, or of one model on it. Healthy ones have no entry. */
interface State {
  /** Share of failures, newer ones counting more. */
  failures: number;
  /** When `failures` was true, milliseconds. */
  at: number;
  inRow: number;
  /** Left alone until then, milliseconds; 0: in use. */
  pausedUntil: number;
  /** Length of the next pause, milliseconds. */
  pause: number;
  /** A trial is under way and counts as lost at this time; 0: none. */
  trialUntil: number;
}

/** Weight of the newest outcome. */
const newest = 0.1;
/** Failures in a row after which a channel is left alone. */
const pauseAfter = 5;
const firstPause = 1_000;
const longestPause = 60_000;
/** An upstream may request a longer pause than ours, up to this. */
const longestRetryAfter = 300_000;
/** The memory of failures fades with this half-life, or a channel that is rarely drawn would never recover. */
const fadeHalfLife = 60_000;
/** Timeout of a trial whose end was not reported. */
const trialTimeout = 60_000;
const leastFactor = 0.05;
const forgottenBelow = 0.02;
/** Of some families of models callers choose the names. Beyond this a channel's oldest is forgotten. */
const mostModels = 500;

interface HealthDependencies {
  now(): number;
  /** Called for every failure that is the channel's own. `status`: 0 if nothing came, 200 if what came is no response. */
  onFailure?(channelId: number, status: number): void;
}

export function createChannelHealth({ now, onFailure }: HealthDependencies): ChannelHealth {
  const states = createStates(now);
  const refused = createRefusedCallers();

  return {
    succeeded(channelId, model, caller) {
      refused.served(channelId, model);
      states.each(channelId, { model, caller }, (_, name) => states.good(channelId, name));
    },
    failed(channelId, model, failure, caller) {
      if (isClientsFault(failure)) {
        this.succeeded(channelId, model, caller);
        return false;
      }
      onFailure?.(channelId, statusToNote(failure));
      const retryAfter = failure.retryAfter ?? (failure.status === 429 ? firstPause / 1000 : undefined);
      const ofChannel = concernsChannel(failure);
      const seen = isUnclear(failure) ? refused.count(channelId, model, caller) : null;
      if (seen === null) states.bad(channelId, ofChannel ? '' : model, retryAfter);
      else {
        states.bad(channelId, nameOfCaller(model, caller), retryAfter);
        if (seen.byMany) states.bad(channelId, '', retryAfter);
        else if (seen.byManyOnModel) states.bad(channelId, model, retryAfter);
      }
      // The other state's trial had no result.
      states.each(channelId, { model, caller }, endTrial);
      return seen === null || seen.byMany;
    },
    released(channelId, model, caller) {
      states.each(channelId, { model, caller }, endTrial);
    },
    factor(channelId, model, caller) {
      if (states.isWell(channelId)) return 1;
      let factor = 1;
      const time = now();
      states.each(channelId, { model, caller }, (state) => (factor = Math.min(factor, factorOf(state, time))));
      return factor;
    },
    admit(channelId, model, caller) {
      const time = now();
      states.each(channelId, { model, caller }, (state) => {
        if (state.pausedUntil > 0 && time >= state.pausedUntil) state.trialUntil = time + trialTimeout;
      });
    },
    forget(channelId) {
      refused.forget(channelId);
      states.forget(channelId);
    },
  };
}

const endTrial = (state: State): void => void (state.trialUntil = 0);

/** No model is named so: control characters are none of a name. */
const nameOfCaller = (model: string, caller: number): string => `${caller}\0${model}`;

/** What is known of channels, and what outcomes make of it. */
function createStates(now: () => number) {
  /** Channel id → state of the channel as a whole (empty name), of its models, of callers who request them. */
  const channels = new Map<number, Map<string, State>>();

  function stateOf(channelId: number, name: string): State {
    let models = channels.get(channelId);
    if (models === undefined) channels.set(channelId, (models = new Map()));
    let state = models.get(name);
    if (state === undefined) {
      if (models.size >= mostModels) dropOldest(models);
      models.set(name, (state = { failures: 0, at: now(), inRow: 0, pausedUntil: 0, pause: firstPause, trialUntil: 0 }));
    }
    return state;
  }

  function good(channelId: number, name: string): void {
    const models = channels.get(channelId);
    const state = models?.get(name);
    if (models === undefined || state === undefined) return;
    const time = now();
    fade(state, time);
    state.failures *= 1 - newest;
    state.inRow = 0;
    // A pause holds: the call that succeeded may have begun long before it.
    if (time < state.pausedUntil) return;
    state.pausedUntil = 0;
    state.trialUntil = 0;
    // The next pause is short again only after some time without one.
    state.pause = Math.max(firstPause, state.pause / 2);
    if (state.failures >= forgottenBelow) return;
    models.delete(name);
    if (models.size === 0) channels.delete(channelId);
  }

  function bad(channelId: number, name: string, retryAfter: number | undefined): void {
    const time = now();
    const state = stateOf(channelId, name);
    fade(state, time);
    state.failures += newest * (1 - state.failures);
    state.inRow++;
    const wasTrial = state.trialUntil > 0;
    state.trialUntil = 0;
    // Calls that were in flight when the pause began add no information.
    if (time < state.pausedUntil) return;
    const requested = retryAfter === undefined ? 0 : Math.min(retryAfter * 1000, longestRetryAfter);
    if (requested === 0 && !wasTrial && state.inRow < pauseAfter) return;
    state.pausedUntil = time + Math.max(requested, state.pause);
    state.pause = Math.min(state.pause * 2, longestPause);
  }

  /** States of the channel as a whole, of the model on it, of the caller on that model. */
  function each(channelId: number, { model, caller }: { model: string; caller: number }, use: (state: State, name: string) => void): void {
    const models = channels.get(channelId);
    if (models === undefined) return;
    for (const name of ['', model, nameOfCaller(model, caller)]) {
      const state = models.get(name);
      if (state !== undefined) use(state, name);
    }
  }

  const isWell = (channelId: number): boolean => channels.size === 0 || !channels.has(channelId);
  const forget = (channelId: number): void => void channels.delete(channelId);
  return { good, bad, each, isWell, forget };
}

/** Never the channel's own state. */
function dropOldest(models: Map<string, State>): void {
  for (const name of models.keys()) {
    if (name === '') continue;
    models.delete(name);
    return;
  }
}

/** The upstream is well and did not like the request. */
function isClientsFault(failure: HealthFailure): boolean {
  if (failure.concerns === 'request') return true;
  return (
    failure.kind === 'response' && (failure.status === 400 || failure.status === 413 || failure.status === 415 || failure.status === 422)
  );
}

/** Keys, balances and connections belong to the channel; everything else to the requested model. */
function concernsChannel(failure: HealthFailure): boolean {
  if (failure.concerns !== undefined) return failure.concerns === 'account';
  return failure.kind === 'network' || failure.status === 401 || failure.status === 402 || failure.status === 403;
}

function factorOf(state: State, time: number): number {
  if (time < state.pausedUntil) return 0;
  if (state.pausedUntil > 0) return state.trialUntil > time ? 0 : 1;
  const failures = state.failures * 0.5 ** ((time - state.at) / fadeHalfLife);
  // The cube: 30 % failures leave a third of the weight.
  return Math.max(leastFactor, (1 - failures) ** 3);
}

function fade(state: State, time: number): void {
  state.failures *= 0.5 ** (Math.max(0, time - state.at) / fadeHalfLife);
  state.at = time;
}

/** Returns the status by which operators recognize the failure: never Tidegate's own 502 for what the upstream did not refuse. */
function statusToNote({ kind, status }: HealthFailure): number {
  if (kind === 'response') return status;
  return kind === 'invalid' ? 200 : 0;
}
