// The check of the books by sums, whose result is a metric of every process.
import { describe, expect, it, vi } from 'vitest';
import { sumOfUserBooks } from '#server/money/user-books.ts';
import { checkBooks } from '#server/slices/metrics/check-books.ts';
import { engines } from '#tests/support/engines.ts';
import { readMetrics, sumOf } from '#tests/support/metrics-text.ts';
import { createScene, until } from '#tests/support/relay-scene.ts';

const env = { METRICS_TOKEN: 'the-token-of-the-metrics' };

describe.each(engines)('check of the books on $kind', (engine) => {
  it('finds 0 with calls, leases, refunds and deleted rows, and what someone changed by hand', async () => {
    await using scene = await createScene(engine, { env });
    const { context } = scene.app;
    const difference = async () => {
      const { credits, spends, balances } = await sumOfUserBooks(context.db);
      return credits - spends - balances;
    };
    // A check that seems to take seconds, so that the next one of this process is not due for minutes.
    const checkSlowly = async () => {
      const clock = performance.now.bind(performance);
      let ahead = 0;
      const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock() + (ahead += 3000));
      await checkBooks(context);
      spy.mockRestore();
    };
    for (let call = 0; call < 3; call += 1) await (await scene.chat()).text();
    await scene.logs(3);
    // The lease is open still.
    expect(await until(async () => ((await difference()) === 0 ? true : null))).toBe(true);
    expect((await sumOfUserBooks(context.db)).spends).toBeGreaterThan(0);
    await context.ledger.change({ account: 'user', id: scene.user.id, amount: 7, unused: 7, kind: 'call_refund', ref: 'r', actorId: 0 });
    expect(await difference()).toBe(0);

    const reported = async () => {
      const response = await fetch(`${scene.app.origin}/metrics`, { headers: { authorization: `Bearer ${env.METRICS_TOKEN}` } });
      return readMetrics(await response.text());
    };
    expect((await reported()).some(({ name }) => name === 'tidegate_books_difference_usd')).toBe(false);
    await checkSlowly();
    const balanced = await reported();
    expect(balanced.some(({ name }) => name === 'tidegate_books_check_age_seconds')).toBe(true);
    expect(sumOf(balanced, 'tidegate_books_difference_usd')).toBe(0);

    await context.db.collection('users').patch({ id: scene.user.id }, { increment: { quota: 1_000_000 } });
    expect(await difference()).toBe(-1_000_000);
    // This process waits a hundred times as long as its last check took.
    await checkBooks(context);
    expect(sumOf(await reported(), 'tidegate_books_difference_usd')).toBe(0);
    await checkBooks({ ...context, db: scene.app.database.db });
    expect(sumOf(await reported(), 'tidegate_books_difference_usd')).toBe(-2);
  });
});
