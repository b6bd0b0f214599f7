// The short version of `npm run test:kill`.
import { describe, expect, test } from 'vitest';
import { runKills } from '#tests/faults/kill-run.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';

describe.each(engines)('servers killed at random moments under load on $kind', ({ kind }) => {
  test.each([
    { processes: 1, kills: 3 },
    { processes: 2, kills: 2 },
  ])('$processes processes, $kills kills: all that was answered is billed, nothing is lost', async ({ processes, kills }) => {
    const report = await runKills({ kills, processes, callers: 8, mongo: kind === 'mongodb' ? testMongoUrl : undefined });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBe(kills);
  });
});
