// The short version of `npm run test:limits`.
import { describe, expect, test } from 'vitest';
import { runLimits, sum } from '#tests/faults/limits-run.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';

describe.each(engines)('limits and budgets on $kind', ({ kind }) => {
  test('hold to the unit under calls of every kind on two processes, of which one is killed', async () => {
    const mongo = kind === 'mongodb' ? testMongoUrl : undefined;
    const report = await runLimits({ kills: 1, calls: mongo === undefined ? 100 : 60, mongo, hasWorkers: mongo === undefined });
    expect(report.problems).toEqual([]);
    expect(report.kills).toBe(1);
    // What is to be shown has happened.
    expect(sum(report.succeeded)).toBeGreaterThan(20);
    expect(sum(report.refused)).toBeGreaterThan(20);
    expect(report.samples).toBeGreaterThan(5);
  });
});
