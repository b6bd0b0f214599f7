import { afterEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import type { RunningContext } from '#server/create-context.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { jobs } from '#server/jobs/registry.ts';
import { startScheduler, tickMs } from '#server/jobs/scheduler.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const hour = 3_600_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Lets more time pass on the monotonic clock than passes. */
function passTime(): (milliseconds: number) => void {
  const real = performance.now.bind(performance);
  let passed = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => real() + passed);
  return (milliseconds) => void (passed += milliseconds);
}

/** The same context, and what resolves when it has looked at records so many times more. */
function watched(context: RunningContext): { context: RunningContext; looks(more?: number): Promise<unknown> } {
  let count = 0;
  const through = <Target extends object>(target: Target, note: (name: string | symbol) => void, wrap = (value: object) => value): Target =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]) => {
          note(name);
          return name === 'collection' ? wrap(Reflect.apply(value, target, values)) : Reflect.apply(value, target, values);
        };
      },
    });
  const noteLook = (name: string | symbol) => void (name === 'get' && (count += 1));
  const db = through(
    context.db,
    () => {},
    (collection) => through(collection, noteLook),
  );
  return {
    context: { ...context, db },
    looks(more = 3) {
      const before = count;
      return until(() => count >= before + more);
    },
  };
}

describe.each(engines)('jobs on $kind', (engine) => {
  it('a due job runs in one process only, and again when its time has come', async () => {
    await using app = await createTestApp(engine);
    await using other = await createTestApp(engine, { database: app.database, clock: app.clock });
    let runs = 0;
    const job = { name: 'count', everySeconds: 3600, lockSeconds: 60, run: async () => void (runs += 1) };
    const schedulers = [app, other].map(({ context }) => startScheduler(context, [job]));
    const tickAll = () => Promise.all(schedulers.map((scheduler) => scheduler.tick()));
    await tickAll();
    await tickAll();
    expect(runs).toBe(1);
    app.clock.advance(hour);
    await tickAll();
    expect(runs).toBe(2);
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
    app.clock.advance(hour);
    await tickAll();
    expect(runs).toBe(2);
  });

  it('jobs, limits and locks of a time when the clock was wrong do not wait until it comes', async () => {
    await using app = await createTestApp(engine);
    const { context, clock } = app;
    const seen: string[] = [];
    const job = { name: 'count', everySeconds: 3600, lockSeconds: 60, run: async () => void seen.push('job') };
    const hit = () => enforceLimit(context, { key: 'guess', count: 1, windowSeconds: 180 });
    const scheduler = startScheduler(context, [job]);
    const year = 365 * 24 * hour;
    clock.advance(year);
    await scheduler.tick();
    await hit();
    await expect(hit()).rejects.toThrow(AppError);
    // The process that held these has died.
    const held = { owner: 'dead', expires_at: clock.now() + 5_000, last_run_at: clock.now() };
    await context.db.collection('jobs').insert({ id: 'edit:user:7', ...held });
    await context.db.collection('jobs').insert({ id: 'job:held', ...held });
    clock.advance(-year);
    const other = startScheduler(context, [job, { ...job, name: 'held', run: async () => void seen.push('held') }]);
    await other.tick();
    await hit();
    await expect(hit()).rejects.toThrow(AppError);
    const pass = passTime();
    const editor = watched(context);
    const edit = withEditLock(editor.context, 'user:7', async () => void seen.push('edit'));
    await editor.looks();
    pass(5_000);
    await edit;
    expect(seen).toEqual(['job', 'job', 'held', 'edit']);
    await Promise.all([scheduler.stop(), other.stop()]);
  });

  it('a limit holds over processes whose clocks are minutes apart', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const processes = [-600_000, 600_000].map((skew) => ({ ...context, now: () => context.now() + skew }));
    let passed = 0;
    for (let turn = 0; turn < 40; turn += 1) {
      const process = processes[turn % 2] ?? context;
      await enforceLimit(process, { key: 'guess', count: 5, windowSeconds: 180 }).then(
        () => (passed += 1),
        (failure: unknown) => expect(failure).toMatchObject({ code: 'rate_limited' }),
      );
    }
    // The one behind begins a window, the one ahead another.
    expect(passed).toBeLessThanOrEqual(6);
  });

  it.each([
    ['ahead', 600_000],
    ['behind', -600_000],
  ])('an edit lock of a process whose clock is minutes %s holds until it is given back', async (_where, skew) => {
    await using app = await createTestApp(engine);
    const { db, now } = app.context;
    const locks = db.collection('jobs');
    const lock = { id: 'edit:user:7', owner: 'elsewhere', expires_at: now() + skew + 5_000, last_run_at: now() + skew };
    await locks.insert(lock);
    const editor = watched(app.context);
    const edit = withEditLock(editor.context, 'user:7', () => locks.get(lock.id));
    await editor.looks();
    expect(await locks.get(lock.id)).toEqual(lock);
    await locks.remove({ id: lock.id });
    expect((await edit)?.owner).toMatch(/^[0-9a-zA-Z]{16}$/);
  });

  it('an edit lock is taken over when it has stood still for 5 seconds, whatever it says itself', async () => {
    await using app = await createTestApp(engine);
    const { db, now } = app.context;
    const pass = passTime();
    const locks = db.collection('jobs');
    const lock = { id: 'edit:user:7', owner: 'elsewhere', expires_at: now() - 600_000, last_run_at: now() - 605_000 };
    await locks.insert(lock);
    const editor = watched(app.context);
    const edit = withEditLock(editor.context, 'user:7', () => locks.get(lock.id));
    for (let prolonged = 1; prolonged <= 3; prolonged += 1) {
      await editor.looks();
      pass(3_000);
      await locks.patch({ id: lock.id, owner: lock.owner }, { increment: { expires_at: 1 } });
    }
    await editor.looks();
    expect(await locks.get(lock.id)).toEqual({ ...lock, expires_at: lock.expires_at + 3 });
    pass(5_000);
    expect((await edit)?.owner).toMatch(/^[0-9a-zA-Z]{16}$/);
    expect(await locks.get(lock.id)).toBeNull();
  });

  it('a job that fails stops no other, and is tried again when it is next due', async () => {
    await using app = await createTestApp(engine);
    const seen: string[] = [];
    const make = (name: string, fails: boolean) => ({
      name,
      everySeconds: 60,
      lockSeconds: 60,
      run: async () => {
        seen.push(name);
        if (fails) throw new Error('as the test wants');
      },
    });
    const scheduler = startScheduler(app.context, [make('first', true), make('second', false)]);
    await scheduler.tick();
    await scheduler.tick();
    expect(seen).toEqual(['first', 'second']);
    app.clock.advance(61_000);
    await scheduler.tick();
    expect(seen).toEqual(['first', 'second', 'first', 'second']);
    await scheduler.stop();
  });

  it('what is due at every tick runs at every tick, also when a timer is early or a job before it takes its time', async () => {
    await using app = await createTestApp(engine);
    const { clock } = app;
    let runs = 0;
    const everySeconds = tickMs / 1000;
    // Every second time it takes a while.
    const slow = { name: 'slow', everySeconds: 1, lockSeconds: 60, run: async () => clock.advance(runs % 2 === 0 ? 4_000 : 3) };
    const counted = { name: 'counted', everySeconds, lockSeconds: 60, run: async () => void (runs += 1) };
    const scheduler = startScheduler(app.context, [slow, counted]);
    const begin = clock.now();
    for (let tick = 0; tick < 8; tick += 1) {
      clock.advance(begin + tick * tickMs + (tick % 2 === 0 ? 20 : -20) - clock.now());
      await scheduler.tick();
      expect(runs).toBe(tick + 1);
    }
    await scheduler.stop();
  });

  it('a tick that comes while the one before still runs is made up for when that has ended', async () => {
    await using app = await createTestApp(engine);
    let runs = 0;
    let release = () => {};
    const run = async () => {
      runs += 1;
      if (runs === 1) await new Promise<void>((resolve) => (release = resolve));
    };
    const scheduler = startScheduler(app.context, [{ name: 'long', everySeconds: tickMs / 1000, lockSeconds: 60, run }]);
    const first = scheduler.tick();
    await until(() => runs === 1);
    app.clock.advance(tickMs);
    void scheduler.tick();
    release();
    await first;
    expect(runs).toBe(2);
    await scheduler.stop();
  });

  it('sessions and limit windows that have ended are removed, others stay', async () => {
    await using app = await createTestApp(engine);
    await app.createUser({ username: 'mei' });
    await app.login('mei');
    await app.anonymous().post('/api/user/login', { username: 'mei', password: 'wrong password' });
    app.clock.advance(2 * 24 * hour);
    await app.anonymous().post('/api/user/login', { username: 'other', password: 'wrong password' });
    const scheduler = startScheduler(app.context, jobs);
    await scheduler.tick();
    expect(await app.context.db.collection('sessions').count({})).toBe(1);
    const limits = await app.context.db.collection('limits').find({});
    // Those of the second failure, and where mei has signed in.
    expect(limits.map((limit) => limit.count)).toEqual([1, 1, 1, 1]);
    app.clock.advance(31 * 24 * hour);
    await scheduler.tick();
    await scheduler.stop();
    expect(await app.context.db.collection('sessions').count({})).toBe(0);
    expect(await app.context.db.collection('limits').count({})).toBe(0);
  });
});
