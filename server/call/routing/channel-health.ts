// Tracks the health of channels, or of the keys of channels that have several, in this process. A channel that fails sometimes is selected less often; one that fails
// repeatedly, or requests a pause, gets no calls for a while and then one trial call at a time. A failure that a single caller
// may have caused counts for that caller only, until other callers have it too.
import { isUnclear } from '#server/exchange/failure-consequences.ts';
import type { UpstreamFailure } from '#server/exchange/upstream-error.ts';
import { createRefusedCallers } from './refused-callers.ts';

/** `caller`: id of the calling user. */
export interface ChannelHealth {
  /** Reports that a response began or is complete. */
  succeeded(channelId: number, model: string, caller: number): void;
  /** Reports a failure. Returns whether the channel, or the model on it, caused it, not a single caller. */
  failed(channelId: number, model: string, failure: HealthFailure, caller: number): boolean;
  /** Reports a call that ended without a result for the channel, e.g. because the client disconnected first. */
  released(channelId: number, model: string, caller: number): void;
  /** Returns the factor of the channel's weight, from 0 (paused) to 1 (healthy). */
  factor(channelId: number, model: string, caller: number): number;
  /** Reports that a call is sent to the channel. If the channel is paused, this is its trial. */
  admit(channelId: number, model: string, caller: number): void;
  /** Removes the state of a channel that an administrator has changed. */
  forget(channelId: number): void;
  /** Pauses a channel, or a model on it, until that time in milliseconds; an empty model is all of them. */
  pause(channelId: number, model: string, until: number): void;
  /** Reports whether the channel, or a model on it, is paused for all callers. */
  isPaused(channelId: number): boolean;
  /** Returns the end of the pause for the model and the caller, in milliseconds; 0 if there is none. */
  pausedUntil(channelId: number, model: string, caller: number): number;
}

export type HealthFailure = Pick<UpstreamFailure, 'status' | 'upstreamStatus' | 'kind' | 'retryAfter' | 'concerns'> & {
  /** A rate limit that the caller's requests may have caused alone: see `limited-callers.ts`. */
  isOfCaller?: boolean;
};

/** State of a channel, or of a model on it. Healthy ones have no entry. */
interface State {
  /** Share of failures; newer outcomes count more. */
  failures: number;
  /** Time of `failures`, in milliseconds. */
  at: number;
  inRow: number;
  /** End of the pause, in milliseconds; 0 if not paused. */
  pausedUntil: number;
  /** Length of the next pause, in milliseconds. */
  pause: number;
  /** Timeout of the trial in progress, in milliseconds; 0 if there is none. */
  trialUntil: number;
}

/** Weight of the newest outcome. */
const newest = 0.1;
const pausesOfChannels: Pauses = { after: 5, first: 1_000, longest: 60_000 };
/** Maximum pause that an upstream may request. */
const longestRetryAfter = 300_000;
/** Longer pauses were written by a clock that was ahead. */
const longestPause = 600_000;
/** Half-life of the share of failures, without which a rarely selected channel would never recover. */
const fadeHalfLife = 60_000;
/** Timeout of a trial whose end was not reported. */
const trialTimeout = 60_000;
const leastFactor = 0.05;
const forgottenBelow = 0.02;
/** Maximum states of a channel; the oldest is removed. Callers choose the names of some models. */
const mostModels = 500;

interface HealthDependencies {
  now(): number;
  /** Called for every failure of the channel itself. `status`: 0 without a response, 200 for an invalid one. */
  onFailure?(channelId: number, status: number): void;
  /** Called when a pause begins that concerns all callers; an empty model is all of them. */
  onPause?(channelId: number, pause: { model: string; until: number; status: number }): void;
  pauses?: Pauses;
}

/** Lengths in milliseconds. */
interface Pauses {
  /** Consecutive failures after which a channel is paused. */
  after: number;
  first: number;
  longest: number;
}

export function createChannelHealth({ now, onFailure, onPause, pauses = pausesOfChannels }: HealthDependencies): ChannelHealth {
  const states = createStates(now, pauses);
  const refused = createRefusedCallers();
  const limited = createRefusedCallers();

  return {
    succeeded(channelId, model, caller) {
      refused.served(channelId, model);
      limited.served(channelId, model);
      states.each(channelId, { model, caller }, (_, name) => states.good(channelId, name));
    },
    failed(channelId, model, failure, caller) {
      if (isClientsFault(failure)) {
        this.succeeded(channelId, model, caller);
        return false;
      }
      onFailure?.(channelId, statusToNote(failure));
      const retryAfter = failure.retryAfter ?? (failure.status === 429 ? pauses.first / 1000 : undefined);
      const pause = (name: string): void => {
        const until = states.bad(channelId, name, retryAfter);
        if (until > 0) onPause?.(channelId, { model: name, until, status: statusToNote(failure) });
      };
      const ofChannel = concernsChannel(failure);
      const isOfCaller = failure.isOfCaller === true;
      const seen = isOfCaller || isUnclear(failure) ? (isOfCaller ? limited : refused).count(channelId, model, caller) : null;
      if (seen === null) pause(ofChannel ? '' : model);
      else {
        states.bad(channelId, nameOfCaller(model, caller), retryAfter);
        if (seen.byMany && !isOfCaller) pause('');
        else if (seen.byManyOnModel) pause(model);
      }
      // Trials of the other states end without a result.
      states.each(channelId, { model, caller }, endTrial);
      return seen === null || (seen.byMany && !isOfCaller);
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
        if (state.pausedUntil > 0 && !isPaused(state, time)) state.trialUntil = time + trialTimeout;
      });
    },
    forget(channelId) {
      refused.forget(channelId);
      limited.forget(channelId);
      states.forget(channelId);
    },
    pause: states.pause,
    isPaused: states.isPausedForAll,
    pausedUntil(channelId, model, caller) {
      let until = 0;
      states.each(channelId, { model, caller }, (state) => (until = Math.max(until, state.pausedUntil)));
      return until;
    },
  };
}

const endTrial = (state: State): void => void (state.trialUntil = 0);

/** Key of a caller's state for a model; model names have no control characters. */
const nameOfCaller = (model: string, caller: number): string => `${caller}\0${model}`;

/** Creates the states of channels and their transitions. */
function createStates(now: () => number, pauses: Pauses) {
  /** Channel id → states: of the channel (empty name), of its models, of callers on its models. */
  const channels = new Map<number, Map<string, State>>();

  function stateOf(channelId: number, name: string): State {
    let models = channels.get(channelId);
    if (models === undefined) channels.set(channelId, (models = new Map()));
    let state = models.get(name);
    if (state === undefined) {
      if (models.size >= mostModels) dropOldest(models);
      models.set(name, (state = { failures: 0, at: now(), inRow: 0, pausedUntil: 0, pause: pauses.first, trialUntil: 0 }));
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
    // A success does not end a pause, because its call may have begun before the pause.
    if (isPaused(state, time)) return;
    state.pausedUntil = 0;
    state.trialUntil = 0;
    // Halves the next pause; it is short again only after several successes.
    state.pause = Math.max(pauses.first, state.pause / 2);
    if (state.failures >= forgottenBelow) return;
    models.delete(name);
    if (models.size === 0) channels.delete(channelId);
  }

  /** Returns the end of a pause that begins by that, in milliseconds; 0 if none does. */
  function bad(channelId: number, name: string, retryAfter: number | undefined): number {
    const time = now();
    const state = stateOf(channelId, name);
    fade(state, time);
    state.failures += newest * (1 - state.failures);
    state.inRow++;
    const wasTrial = state.trialUntil > 0;
    state.trialUntil = 0;
    // Failures of calls that were in flight when the pause began add no information.
    if (isPaused(state, time)) return 0;
    const requested = retryAfter === undefined ? 0 : Math.min(retryAfter * 1000, longestRetryAfter);
    if (requested === 0 && !wasTrial && state.inRow < pauses.after) return 0;
    state.pausedUntil = time + Math.max(requested, state.pause);
    state.pause = Math.min(state.pause * 2, pauses.longest);
    return state.pausedUntil;
  }

  function pause(channelId: number, name: string, until: number): void {
    const state = stateOf(channelId, name);
    const time = now();
    state.pausedUntil = Math.max(isPaused(state, time) ? state.pausedUntil : 0, Math.min(until, time + longestPause));
  }

  /** Visits the states of the channel, of the model on it, and of the caller on that model. */
  function each(channelId: number, { model, caller }: { model: string; caller: number }, use: (state: State, name: string) => void): void {
    const models = channels.get(channelId);
    if (models === undefined) return;
    for (const name of ['', model, nameOfCaller(model, caller)]) {
      const state = models.get(name);
      if (state !== undefined) use(state, name);
    }
  }

  function isPausedForAll(channelId: number): boolean {
    const models = channels.get(channelId);
    if (models === undefined) return false;
    const time = now();
    for (const [name, state] of models) if (!name.includes('\0') && isPaused(state, time)) return true;
    return false;
  }

  const isWell = (channelId: number): boolean => channels.size === 0 || !channels.has(channelId);
  const forget = (channelId: number): void => void channels.delete(channelId);
  return { good, bad, pause, isPausedForAll, each, isWell, forget };
}

/** Removes the oldest state, but never the one of the channel itself. */
function dropOldest(models: Map<string, State>): void {
  for (const name of models.keys()) {
    if (name === '') continue;
    models.delete(name);
    return;
  }
}

/** Reports whether the request caused the failure, not the upstream. */
function isClientsFault(failure: HealthFailure): boolean {
  if (failure.concerns === 'request') return true;
  return (
    failure.kind === 'response' && (failure.status === 400 || failure.status === 413 || failure.status === 415 || failure.status === 422)
  );
}

/** Reports whether a failure concerns the whole channel: keys, balances, connections. Others concern the model. */
function concernsChannel(failure: HealthFailure): boolean {
  if (failure.concerns !== undefined) return failure.concerns === 'account';
  return failure.kind === 'network' || failure.status === 401 || failure.status === 402 || failure.status === 403;
}

function isPaused({ pausedUntil }: State, time: number): boolean {
  return time < pausedUntil && pausedUntil <= time + longestPause;
}

function factorOf(state: State, time: number): number {
  if (isPaused(state, time)) return 0;
  if (state.pausedUntil > 0) return state.trialUntil > time && state.trialUntil <= time + trialTimeout ? 0 : 1;
  const failures = state.failures * 0.5 ** (Math.max(0, time - state.at) / fadeHalfLife);
  // With the cube, 30 % failures leave a third of the weight.
  return Math.max(leastFactor, (1 - failures) ** 3);
}

function fade(state: State, time: number): void {
  state.failures *= 0.5 ** (Math.max(0, time - state.at) / fadeHalfLife);
  state.at = time;
}

/** Returns the upstream's status, by which operators recognize the failure, instead of Tidegate's 502. */
function statusToNote({ kind, status }: HealthFailure): number {
  if (kind === 'response') return status;
  return kind === 'invalid' ? 200 : 0;
}
