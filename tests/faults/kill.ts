// `npm run test:kill [kills]`: the long version of kill.test.ts, by default fifty kills, on the embedded engine and, where
// TEST_MONGODB_URL names a server, on MongoDB, with one and with two processes. Exits 1 when anything was lost.
import { runKills } from '#tests/faults/kill-run.ts';

const kills = Number(process.argv[2] ?? 50);
const mongo = process.env['TEST_MONGODB_URL'] || undefined;

for (const server of mongo === undefined ? [undefined] : [undefined, mongo]) {
  for (const processes of [1, 2]) {
    const name = `${server === undefined ? 'embedded' : 'mongodb'}, ${processes} process${processes === 1 ? '' : 'es'}`;
    const onKill = (line: string) => console.log(`${name}: ${line}`);
    const { problems, ...figures } = await runKills({ kills, mongo: server, processes, callers: server === undefined ? 16 : 8, onKill });
    console.log(`${name}: ${JSON.stringify(figures)}`);
    for (const problem of problems) console.error(`${name}: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
