import { afterEach, expect, it, vi } from 'vitest';
import { createChangeFeed } from '#server/db/change-feed.ts';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import { onEachEngine } from '#tests/support/engines.ts';
import { until } from '#tests/support/until.ts';

onEachEngine('the change feed', (current) => {
  const feeds: ChangeFeed[] = [];
  // Before the databases are closed: hooks run in reverse order.
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.stop()));
    vi.restoreAllMocks();
  });
  const follow = async (db: Database, options: { now?: () => number } = {}) => {
    const errors: unknown[] = [];
    const feed = createChangeFeed({ db, onError: (error) => errors.push(error), ...options });
    feeds.push(feed);
    await feed.start();
    const received: (number | string)[] = [];
    feed.listen('token', (key) => void received.push(key));
    return { feed, received, errors };
  };

  it('an announced change reaches another handle soon, once, and its own listeners at once', async () => {
    const here = await follow(current().db);
    const there = await follow(await current().open());
    const announced = here.feed.announce('token', 7);
    expect(here.received).toEqual([7]);
    await announced;
    await until(() => there.received.length > 0);
    await here.feed.announce('user', 8);
    await there.feed.announce('token', 'b');
    await until(() => here.received.length > 1);
    await here.feed.announce('token', 'c');
    await until(() => there.received.includes('c'));
    expect(here.received).toEqual([7, 'b', 'c']);
    expect(there.received).toEqual([7, 'b', 'c']);
    expect([...here.errors, ...there.errors]).toEqual([]);
  });

  it('a row with a smaller id that becomes visible late is heard', async () => {
    const { db } = current();
    const there = await follow(await current().open());
    const here = await follow(db);
    const late = await db.nextId('changes');
    await here.feed.announce('token', 'bigger');
    await until(() => there.received.includes('bigger'));
    await db.collection('changes').insert({ id: late, kind: 'token', key: 'smaller', at: Date.now() });
    await until(() => there.received.includes('smaller') && here.received.includes('smaller'));
    expect(there.received).toEqual(['bigger', 'smaller']);
  });

  it('a feed that starts later hears nothing old, and many changes at once are all heard', async () => {
    const here = await follow(current().db);
    await here.feed.announce('token', 'old');
    const there = await follow(await current().open());
    await Promise.all(Array.from({ length: 150 }, (_, key) => here.feed.announce('token', key)));
    await until(() => there.received.length >= 150, 3_000);
    expect([...there.received].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 150 }, (_, key) => key));
  });

  it('a listener that fails does not keep others from hearing', async () => {
    const here = await follow(current().db);
    here.feed.listen('token', () => {
      throw new Error('broken listener');
    });
    const stop = here.feed.listen('token', () => void here.received.push('second'));
    await here.feed.announce('token', 1);
    stop();
    await here.feed.announce('token', 2);
    expect(here.received).toEqual([1, 'second', 2]);
    expect(here.errors).toHaveLength(2);
  });

  it('a database that is slow holds nobody up who announces; the row is announced again until it came in time', async () => {
    const { db } = current();
    let passed = 0;
    let isSlow = true;
    const monotonic = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed);
    const slow = new Proxy(db, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === 'nextId' && isSlow) passed += 6_000;
          return Reflect.apply(value, target, given);
        };
      },
    });
    const there = await follow(await current().open());
    const here = await follow(slow);
    await here.feed.announce('token', 'slow');
    const announced = () => db.collection('changes').count({ key: 'slow' });
    await until(async () => (await announced()) > 2, 600_000);
    isSlow = false;
    const before = await announced();
    await until(async () => (await announced()) > before, 600_000);
    await here.feed.announce('token', 'next');
    await until(() => there.received.includes('next'));
    expect(await announced()).toBeLessThanOrEqual(before + 2);
    expect(there.received).toContain('slow');
    expect([...here.errors, ...there.errors]).toEqual([]);
  });

  it('rows are pruned ten minutes after they were seen, whatever a clock says', async () => {
    const { db } = current();
    const changes = db.collection('changes');
    let passed = 0;
    const monotonic = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passed);
    const there = await follow(await current().open());
    // An hour ahead of the others.
    await follow(db, { now: () => Date.now() + 3_600_000 });
    await there.feed.announce('token', 'old');
    for (let minutes = 0; minutes < 8; minutes += 2) {
      passed += 120_000;
      const key = `after ${minutes}`;
      const here = await follow(db);
      await there.feed.announce('token', key);
      // By then everybody has looked, and pruned what they prune.
      await until(() => here.received.includes(key));
      await here.feed.announce('token', `${key}, answered`);
      await until(() => there.received.includes(`${key}, answered`));
    }
    expect(await changes.count({ key: 'old' })).toBe(1);
    for (let minutes = 0; minutes < 8; minutes += 2) {
      passed += 120_000;
      const key = `later ${minutes}`;
      const here = await follow(db);
      await there.feed.announce('token', key);
      await until(() => here.received.includes(key));
      await here.feed.announce('token', `${key}, answered`);
      await until(() => there.received.includes(`${key}, answered`));
    }
    await until(async () => (await changes.count({ key: 'old' })) === 0, 3_000);
    expect(await changes.count({ key: 'later 6' })).toBe(1);
  });
});
