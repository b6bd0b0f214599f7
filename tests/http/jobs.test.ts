import { describe, expect, it } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { withEditLock } from '#server/accounts/edit-lock.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { jobs } from '#server/jobs/registry.ts';
import { startScheduler } from '#server/jobs/scheduler.ts';
import { engines } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { until } from '#tests/support/until.ts';

const hour = 3_600_000;

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
    // Whoever held these has died.
    const held = { owner: 'dead', expires_at: clock.now() + 5_000, last_run_at: clock.now() };
    await context.db.collection('jobs').insert({ id: 'edit:user:7', ...held });
    await context.db.collection('jobs').insert({ id: 'job:held', ...held });
    clock.advance(-year);
    const other = startScheduler(context, [job, { ...job, name: 'held', run: async () => void seen.push('held') }]);
    await other.tick();
    await hit();
    await expect(hit()).rejects.toThrow(AppError);
    await withEditLock(context, 'user:7', async () => void seen.push('edit'));
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

  it('an edit lock holds over processes whose clocks are minutes apart', async () => {
    await using app = await createTestApp(engine);
    const { context } = app;
    const locks = context.db.collection('jobs');
    const lock = { id: 'edit:user:7', owner: 'ahead', expires_at: context.now() + 600_000, last_run_at: context.now() + 595_000 };
    await locks.insert(lock);
    let tries = 0;
    const now = () => {
      tries += 1;
      return context.now();
    };
    const edit = withEditLock({ ...context, now }, 'user:7', () => locks.get(lock.id));
    await until(() => tries >= 3);
    expect(await locks.get(lock.id)).toEqual(lock);
    await locks.remove({ id: lock.id });
    expect((await edit)?.owner).toMatch(/^[0-9a-zA-Z]{16}$/);
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
