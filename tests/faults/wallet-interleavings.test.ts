// Interleavings of redeem, pay, notify, transfer, adjust, delete, task charge, task end, task refund, call, refund of a call and crash. `npm run test:interleavings` makes ten thousand on each
// engine. A failing run names its seed.
import { expect, test } from 'vitest';
import { onPlace } from '#tests/faults/bookkeeping.ts';
import { openPayments, runMix } from '#tests/faults/credit-mix.ts';
import { openTaskDesk } from '#tests/faults/task-acts.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';

const seed = Number(process.env['INTERLEAVINGS_SEED'] ?? 20_261_122);
const requested = Number(process.env['INTERLEAVINGS_RUNS'] ?? 0);
const cases = engines.map((engine) => ({ engine, kind: engine.kind, runs: requested || (engine === embeddedEngine ? 120 : 40) }));
const atOnce = 40;

test.each(cases)(
  '$runs interleavings on $kind: everything is credited once or not at all',
  async ({ engine, runs }) => {
    const seen = {
      redeemed: 0,
      paid: 0,
      transferred: 0,
      deleted: 0,
      died: 0,
      submitted: 0,
      succeeded: 0,
      refunded: 0,
      polled: 0,
      notified: 0,
      called: 0,
      givenBack: 0,
    };
    for (let done = 0; done < runs; done += atOnce) {
      await onPlace(engine, async (place) => {
        await openPayments(place);
        await using desk = await openTaskDesk(place, seen);
        await runMix(place, { desk, count: Math.min(atOnce, runs - done), seed: seed + done, seen });
      });
    }
    // What is to be shown has happened.
    for (const times of [seen.redeemed, seen.paid, seen.transferred]) expect(times).toBeGreaterThan(runs / 2);
    expect(seen.deleted).toBeGreaterThan(runs / 20);
    for (const times of [seen.submitted, seen.succeeded, seen.refunded, seen.polled, seen.notified, seen.called, seen.givenBack])
      expect(times).toBeGreaterThan(runs / 10);
    expect(seen.died).toBeGreaterThan(0);
    if (requested > 0) console.log(JSON.stringify({ engine: engine.kind, runs, seed, ...seen }));
  },
  requested > 0 ? 6 * 3_600_000 : 300_000,
);
