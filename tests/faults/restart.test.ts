// SIGHUP replaces all workers; `npm run test:restart` does the same with 200 streams and 500 calls a second.
import { describe, expect, test } from 'vitest';
import { runRestarts } from '#tests/faults/restart-run.ts';
import { engines } from '#tests/support/engines.ts';
import { testMongoUrl } from '#tests/support/mongo-databases.ts';

describe.each(engines)('workers on $kind that are restarted under load', ({ kind }) => {
  test('lose no stream and no call, and charge each once', async () => {
    const mongo = kind === 'mongodb' ? testMongoUrl : undefined;
    const report = await runRestarts({ mongo, workers: 2, restarts: 1, streams: 10, callsPerSecond: 30, streamSeconds: 3 });
    expect(report.problems.join('\n')).toBe('');
    expect(report.calls).toBeGreaterThan(30);
  });
});
