// 10,000 random interleavings of reserve, extend, settle, leave, kill and edit. A failing run names its seed.
import { expect, test } from 'vitest';
import { embeddedEngine, engines } from '#tests/support/engines.ts';
import { runInterleavings } from './interleavings.ts';

const seed = Number(process.env['INTERLEAVINGS_SEED'] ?? 20_261_122);

const cases = engines.flatMap((engine) => [
  { engine, kind: engine.kind, honoursLimits: false, runs: engine === embeddedEngine ? 5_000 : 150 },
  { engine, kind: engine.kind, honoursLimits: true, runs: engine === embeddedEngine ? 5_000 : 150 },
]);

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
  600_000,
);
