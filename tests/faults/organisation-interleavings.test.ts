// Interleavings of calls with limits and budgets, period changes, edits of both, transfers, joining and leaving members, teams, refunds, the end of organisations
// and crashes. `npm run test:interleavings` makes ten thousand on each engine. A failing run names its seed.
import { expect, test } from 'vitest';
import { runOrganisations } from '#tests/faults/organisation-mix.ts';
import { embeddedEngine, engines } from '#tests/support/engines.ts';

const seed = Number(process.env['INTERLEAVINGS_SEED'] ?? 20_261_201);
const requested = Number(process.env['INTERLEAVINGS_RUNS'] ?? 0);
const cases = engines.map((engine) => {
  const isEmbedded = engine === embeddedEngine;
  return {
    engine,
    kind: engine.kind,
    runs: requested || (isEmbedded ? 60 : 10),
    atOnce: requested > 0 ? (isEmbedded ? 500 : 25) : isEmbedded ? 60 : 20,
  };
});

/** Acts of long runs. */
const frequent = ['fundOut', 'join', 'leave', 'move', 'reset', 'raise', 'refund', 'refusedByMoney', 'refusedByLimit'];

test.each(cases)(
  '$runs interleavings of organisations on $kind: the books balance, and hard budgets and limits hold',
  async ({ engine, runs, atOnce }) => {
    const seen = await runOrganisations({ engine, runs, seed, atOnce, steps: requested > 0 ? 10 : 5 });
    if (requested > 0) console.log(JSON.stringify({ engine: engine.kind, runs, seed, ...seen }));
    // What is to be shown has happened.
    for (const act of ['begin', 'settle', 'fundIn']) expect(seen[act] ?? 0, act).toBeGreaterThan(0);
    if (requested === 0) return;
    for (const act of frequent) expect(seen[act] ?? 0, act).toBeGreaterThan(runs / 20);
    for (const act of ['end', 'killed', 'removeTeam', 'suspend']) expect(seen[act] ?? 0, act).toBeGreaterThan(0);
  },
  requested > 0 ? 6 * 3_600_000 : 300_000,
);
