// `npm run test:limits [kills] [calls]`: limits and budgets under a thousand parallel calls with kills, on the embedded engine with two workers and, where
// TEST_MONGODB_URL names a server, on MongoDB with two servers. Exits 1 when anything did not hold.
import { runLimits } from '#tests/faults/limits-run.ts';

const kills = Number(process.argv[2] ?? 10);
const calls = Number(process.argv[3] ?? 1_000);
const mongo = process.env['TEST_MONGODB_URL'] || undefined;
const engines = (process.argv[4] ?? 'embedded,mongodb').split(',');

for (const engine of engines) {
  if (engine === 'mongodb' && mongo === undefined) continue;
  const onKill = (line: string) => console.log(`${engine}: ${line}`);
  const isEmbedded = engine === 'embedded';
  const { problems, ...figures } = await runLimits({ kills, calls, mongo: isEmbedded ? undefined : mongo, hasWorkers: isEmbedded, onKill });
  console.log(`${engine}: ${JSON.stringify(figures)}`);
  for (const problem of problems) console.error(`${engine}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
