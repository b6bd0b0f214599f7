// Random interleavings of reserve, extend, settle, leave, kill and edit: two thousand here, ten thousand by
// `npm run test:interleavings`. A failing run names its seed.
import { expect, test } from 'vitest';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { runInterleavings } from './interleavings.ts';

const seed = Number(process.env['INTERLEAVINGS_SEED'] ?? 20_261_122);
const requested = Number(process.env['INTERLEAVINGS_RUNS'] ?? 0) / 2;

const cases = engines.flatMap((engine) => {
  const runs = requested || (engine === embeddedEngine ? 1_000 : 100);
  return [false, true].map((honoursLimits) => ({ engine, kind: engine.kind, honoursLimits, runs }));
});

test.each(cases)(
  '$runs interleavings on $kind, limits honoured: $honoursLimits: nobody owes more than one call outgrew, and the books balance',
  async ({ engine, runs, honoursLimits }) => {
    const report = await runInterleavings({ engine, runs, seed, honoursLimits });
    expect(report.runs).toBe(runs);
    // What is to be shown has happened.
    expect(report.refused).toBeGreaterThan(runs / 20);
    expect(report.killed).toBeGreaterThan(0);
    if (!honoursLimits) expect(report.overdrawn).toBeGreaterThan(0);
  },
  requested > 0 ? 6 * 3_600_000 : 600_000,
);
