// A process of its own for `embedded-file.test.ts`; adds a line to a report for every write that was acknowledged.
import { openSync, writeSync } from 'node:fs';
import type { Write } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import { logRecord, userRecord } from '#tests/contract/records.ts';

const [url = '', report = '', what, name = '', times = '0'] = process.argv.slice(2);
const acknowledgements = openSync(report, 'a');
const db = await openDatabase(url);
if (what === 'append') {
  await db.collection('users').insert(userRecord({ id: 1 }));
  // Until killed.
  for (let seq = 1; ; seq += 2) {
    const rows = [seq, seq + 1];
    const inserts = await Promise.all(
      rows.map(async (number): Promise<Write> => ({
        insert: logRecord({ id: await db.nextId('logs'), process: 'p', seq: number }),
        into: 'logs',
      })),
    );
    await db.write([...inserts, { patch: { increment: { used_quota: rows.length } }, of: 'users', where: { id: 1 } }]);
    // Straight to the kernel, as the commit itself: what stands there was acknowledged before the kill.
    writeSync(acknowledgements, `${seq + 1}\n`);
  }
}
for (let count = 0; count < Number(times); count += 1) {
  const changed = await db.collection('users').patch({ id: 1 }, { increment: { used_quota: 1, [`leases.${name}`]: 1 } });
  if (changed === null) throw new Error('The record is gone');
  writeSync(acknowledgements, `${await db.nextId('tokens')}\n`);
}
await db.close();
