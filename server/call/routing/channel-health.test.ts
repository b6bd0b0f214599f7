import { describe, expect, it } from 'vitest';
import { networkFailure, parseUpstreamError } from '#server/exchange/upstream-error.ts';
import { drawWeight, type Tier } from '#server/exchange/served-models.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { createChannelHealth } from './channel-health.ts';
import { createChannelPicker } from './channel-picker.ts';

function createClock() {
  let time = 1_000_000;
  return { now: () => time, advance: (milliseconds: number) => (time += milliseconds) };
}

/** Of one caller, unless another is named. */
function createHealth(clock: { now(): number }) {
  const health = createChannelHealth(clock);
  type Failure = Parameters<typeof health.failed>[2];
  return {
    ...health,
    succeeded: (id: number, model: string, caller = 1) => health.succeeded(id, model, caller),
    failed: (id: number, model: string, reported: Failure, caller = 1) => health.failed(id, model, reported, caller),
    released: (id: number, model: string, caller = 1) => health.released(id, model, caller),
    factor: (id: number, model: string, caller = 1) => health.factor(id, model, caller),
    admit: (id: number, model: string, caller = 1) => health.admit(id, model, caller),
  };
}

function forbidden(error: object = {}) {
  return parseUpstreamError({
    status: 403,
    text: JSON.stringify({ error: { message: 'no', ...error } }),
    channel: buildPreparedChannel(),
    now: 0,
  });
}

function failure(status: number, retryAfter?: number) {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return parseUpstreamError({ status, text: '{}', headers, channel: buildPreparedChannel(), now: 0 });
}

describe('channel health', () => {
  it('is 1 until a failure, and for models without one', () => {
    const health = createHealth(createClock());
    expect(health.factor(1, 'a')).toBe(1);
    health.failed(1, 'a', failure(500));
    expect(health.factor(1, 'a')).toBeLessThan(1);
    expect(health.factor(1, 'b')).toBe(1);
    expect(health.factor(2, 'a')).toBe(1);
  });

  it('has no pause longer than any that may be requested, whatever the clocks do', () => {
    const clock = createClock();
    const health = createHealth(clock);
    health.failed(1, 'a', failure(429, 999_999_999));
    health.pause(2, 'a', clock.now() + 86_400_000);
    for (const id of [1, 2]) expect(health.factor(id, 'a')).toBe(0);
    clock.advance(600_001);
    for (const id of [1, 2]) expect(health.factor(id, 'a')).toBeGreaterThan(0);
    // The clock was a day ahead when the pause began.
    health.failed(3, 'a', failure(429, 60));
    clock.advance(-86_400_000);
    expect(health.factor(3, 'a')).toBeGreaterThan(0);
    health.failed(3, 'a', failure(429, 60));
    expect(health.factor(3, 'a')).toBe(0);
    clock.advance(61_000);
    expect(health.factor(3, 'a')).toBeGreaterThan(0);
  });

  it('evicts the oldest models above its limit, but not the state of the whole channel', () => {
    const health = createHealth(createClock());
    health.failed(1, 'first', failure(401));
    const whole = health.factor(1, 'any');
    health.failed(1, 'first', failure(500));
    expect(health.factor(1, 'first')).toBeLessThanOrEqual(whole);
    for (let count = 0; count < 2_000; count += 1)
      for (let turn = 0; turn < 3; turn += 1) health.failed(1, `family-${count}`, failure(500));
    expect(health.factor(1, 'family-0')).toBe(whole);
    expect(health.factor(1, 'family-1999')).toBeLessThan(whole);
    expect(health.factor(1, 'any')).toBe(whole);
  });

  it('decreases for all models after a refused key, an empty account or a failed connection', () => {
    for (const bad of [failure(401), failure(402), forbidden({ code: 'billing_not_active' }), networkFailure()]) {
      const health = createHealth(createClock());
      health.failed(1, 'a', bad);
      expect(health.factor(1, 'b')).toBeLessThan(1);
    }
  });

  it('decreases only for the caller after an unclear 403', () => {
    const health = createHealth(createClock());
    for (let turn = 0; turn < 200; turn++) health.failed(1, turn % 2 === 0 ? 'a' : 'b', forbidden());
    expect(health.factor(1, 'a')).toBe(0);
    for (const model of ['a', 'b', 'c']) expect(health.factor(1, model, 2)).toBe(1);
    expect(health.factor(1, 'c')).toBe(1);
  });

  it('decreases for all callers of a model after an unclear 403 to several callers without a success between', () => {
    const health = createHealth(createClock());
    const refuse = (model: string, ...callers: number[]) =>
      callers.map((caller) => health.failed(1, model, forbidden({ type: 'permission_error' }), caller));
    expect(refuse('a', 1, 2, 1, 2)).toEqual([false, false, false, false]);
    health.succeeded(1, 'a', 9);
    expect(refuse('a', 1, 2)).toEqual([false, false]);
    expect(health.factor(1, 'a', 7)).toBe(1);
    expect(refuse('a', 3)).toEqual([false]);
    expect(health.factor(1, 'a', 7)).toBeLessThan(1);
    expect(health.factor(1, 'b', 7)).toBe(1);
    expect(refuse('b', 3)).toEqual([true]);
    expect(health.factor(1, 'c', 7)).toBeLessThan(1);
    refuse('b', 4, 5, 6, 3);
    expect(health.factor(1, 'c', 7)).toBe(0);
  });

  it('decreases for one model if the 403 concerns the model, and for none if it concerns the request', () => {
    const health = createHealth(createClock());
    const ofRequest = forbidden({ message: 'You do not have permission to access the File abc or it may not exist.' });
    for (let turn = 0; turn < 20; turn++) health.failed(1, 'a', ofRequest, turn);
    expect(health.factor(1, 'a')).toBe(1);
    health.failed(1, 'a', forbidden({ code: 'model_not_found' }));
    expect(health.factor(1, 'a', 2)).toBeLessThan(1);
    expect(health.factor(1, 'b')).toBe(1);
  });

  it('does not take the trial of a caller whose requests are refused for other callers', () => {
    const clock = createClock();
    const health = createHealth(clock);
    for (let turn = 0; turn < 5; turn++) health.failed(1, 'a', failure(500));
    clock.advance(1_001);
    health.admit(1, 'a', 5);
    health.failed(1, 'a', forbidden(), 5);
    expect(health.factor(1, 'a', 2)).toBe(1);
  });

  it('does not decrease after invalid requests', () => {
    const health = createHealth(createClock());
    for (const status of [400, 413, 422]) for (let turn = 0; turn < 20; turn++) health.failed(1, 'a', failure(status));
    expect(health.factor(1, 'a')).toBe(1);
  });

  it('is 0 during the retry-after of the upstream, for five minutes at most', () => {
    const clock = createClock();
    const health = createHealth(clock);
    health.failed(1, 'a', failure(429, 30));
    clock.advance(29_000);
    expect(health.factor(1, 'a')).toBe(0);
    health.succeeded(1, 'a'); // began before
    expect(health.factor(1, 'a')).toBe(0);
    clock.advance(1_001);
    expect(health.factor(1, 'a')).toBe(1);
    health.failed(2, 'a', failure(429, 86_400));
    clock.advance(300_001);
    expect(health.factor(2, 'a')).toBe(1);
  });

  it('allows one trial call at a time, after pauses that double up to a minute', () => {
    const clock = createClock();
    const health = createHealth(clock);
    for (let turn = 0; turn < 5; turn++) health.failed(1, 'a', failure(500));
    const pauses: number[] = [];
    for (let turn = 0; turn < 9; turn++) {
      let pause = 0;
      for (; health.factor(1, 'a') === 0; pause += 100) clock.advance(100);
      pauses.push(pause / 1000);
      health.admit(1, 'a');
      expect(health.factor(1, 'a')).toBe(0);
      health.failed(1, 'a', failure(500));
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('allows another trial if the last one had no result or did not end within a minute', () => {
    const clock = createClock();
    const health = createHealth(clock);
    health.failed(1, 'a', failure(429, 1));
    clock.advance(1_001);
    health.admit(1, 'a');
    health.released(1, 'a');
    expect(health.factor(1, 'a')).toBe(1);
    health.admit(1, 'a');
    clock.advance(60_001);
    expect(health.factor(1, 'a')).toBe(1);
  });

  it('recovers after successes, with time, and after a change by an administrator', () => {
    const clock = createClock();
    const health = createHealth(clock);
    for (let turn = 0; turn < 4; turn++) for (const id of [1, 2, 3]) health.failed(id, 'a', failure(500));
    const sick = health.factor(1, 'a');
    for (let turn = 0; turn < 40; turn++) health.succeeded(1, 'a');
    expect(health.factor(1, 'a')).toBe(1);
    expect(health.factor(2, 'a')).toBe(sick);
    clock.advance(300_000);
    expect(health.factor(2, 'a')).toBeGreaterThan(0.9);
    health.forget(3);
    expect(health.factor(3, 'a')).toBe(1);
  });

  it('stays above 0 when half of the calls fail', () => {
    const health = createHealth(createClock());
    for (let turn = 0; turn < 200; turn++) {
      health.failed(1, 'a', failure(500));
      health.succeeded(1, 'a');
    }
    expect(health.factor(1, 'a')).toBeGreaterThan(0);
    expect(health.factor(1, 'a')).toBeLessThan(0.3);
  });
});

/** A small repeatable random source. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

/** 3,000 calls, 32 at a time, over three channels of which the first is sick; times are played through, not waited for. */
function simulate(outcome: (random: () => number) => ReturnType<typeof failure> | null) {
  const clock = createClock();
  const random = createRandom(7);
  const health = createHealth(clock);
  const channels = [1, 2, 3].map((id) => buildPreparedChannel({ id }));
  let sum = 0;
  const tiers: Tier[] = [{ priority: 0, channels, sums: channels.map((channel) => (sum += drawWeight(channel))) }];
  const picker = createChannelPicker({ index: { tiers: () => tiers }, health, keys: { isReady: () => true }, random });

  const running: { at: number; id: number; tried: Set<number> }[] = [];
  const sickCalls: number[] = [];
  let started = 0;
  let errors = 0;
  const attempt = (tried: Set<number>) => {
    const channel = picker.pick({ group: 'default', model: 'm', caller: 1, tried });
    if (channel === null) {
      errors++;
      return;
    }
    tried.add(channel.id);
    running.push({ at: clock.now() + 5 + random() * 20, id: channel.id, tried });
  };
  while (started < 3000 || running.length > 0) {
    while (running.length < 32 && started < 3000) {
      started++;
      attempt(new Set());
    }
    running.sort((a, b) => b.at - a.at);
    const call = running.pop();
    if (call === undefined) break;
    clock.advance(call.at - clock.now());
    const failed = call.id === 1 ? outcome(random) : null;
    if (call.id === 1) sickCalls.push(started);
    if (failed === null) {
      health.succeeded(call.id, 'm');
      continue;
    }
    health.failed(call.id, 'm', failed);
    if (call.tried.size <= 3) attempt(call.tried);
    else errors++;
  }
  return { errors, sickCalls };
}

describe('three channels of which one is unhealthy', () => {
  it('30 % random failures: no client sees one, and the share of the channel falls but stays above 0', () => {
    const { errors, sickCalls } = simulate((random) => (random() < 0.3 ? failure(500) : null));
    expect(errors).toBe(0);
    expect(sickCalls.length).toBeGreaterThan(100);
    expect(sickCalls.length).toBeLessThan(750);
  });

  it('constant failures: no client sees one, and the channel soon gets only trials', () => {
    const { errors, sickCalls } = simulate(() => failure(500));
    expect(errors).toBe(0);
    expect(sickCalls.length).toBeLessThan(40);
    expect(sickCalls.filter((started) => started > 500).length).toBeLessThan(5);
  });

  it('constant retry-after: no client sees one, and the channel gets few calls', () => {
    const { errors, sickCalls } = simulate(() => failure(429, 1));
    expect(errors).toBe(0);
    expect(sickCalls.length).toBeLessThan(40);
  });
});
