// `npm run test:restart [restarts [streams [calls per second]]]`: restarts of all workers under load, on the embedded engine and, where
// TEST_MONGODB_URL names a server, on MongoDB. Exits 1 when anything was lost or charged twice.
import { runRestarts } from '#tests/faults/restart-run.ts';

const [restarts = 3, streams = 200, callsPerSecond = 500] = process.argv.slice(2).map(Number);
const mongo = process.env['TEST_MONGODB_URL'] || undefined;

for (const server of mongo === undefined ? [undefined] : [undefined, mongo]) {
  const { problems, ...figures } = await runRestarts({ mongo: server, workers: 2, restarts, streams, callsPerSecond, streamSeconds: 10 });
  console.log(`${server === undefined ? 'embedded' : 'mongodb'}: ${JSON.stringify(figures)}`);
  for (const problem of problems.slice(0, 20)) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
