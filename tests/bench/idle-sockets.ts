// `npm run bench -- sockets`: memory of a thousand idle WebSockets in a server process. The bound is 40 MB.
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createToken } from '#tests/support/build-token.ts';
import { buildUser } from '#tests/support/build.ts';
import { createScratch } from '#tests/support/scratch-database.ts';
import { startServer } from '#tests/support/server-process.ts';

const megabyte = 1024 * 1024;
const users = 10;
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** @returns bytes that so many idle sockets add to the server's memory */
export async function benchIdleSockets(count = 1_000): Promise<number> {
  const scratch = await createScratch(undefined);
  const keys = await scratch.withContext(async (context) => {
    const made: string[] = [];
    for (let index = 0; index < users; index += 1) {
      const user = await buildUser(context);
      await context.db.collection('users').insert(user);
      made.push((await createToken(context, user.id)).key);
    }
    return made;
  });
  const server = await startServer({ DATABASE_URL: scratch.url, MAX_SOCKETS_PER_USER: String(count) });
  const open = (index: number) =>
    new Promise<WebSocket>((resolve, reject) => {
      const headers = { authorization: `Bearer ${keys[index % keys.length]}` };
      const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/v1/responses`, { headers, perMessageDeflate: false });
      socket.once('open', () => resolve(socket));
      socket.once('error', reject);
    });
  const openAll = async (many: number) => {
    const sockets: WebSocket[] = [];
    for (let index = 0; index < many; index += 50)
      sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, many - index) }, (_, place) => open(index + place)))));
    return sockets;
  };
  try {
    // What the first of anything costs is not theirs.
    for (const socket of await openAll(100)) socket.terminate();
    await sleep(3_000);
    const before = server.memory();
    const sockets = await openAll(count);
    await sleep(5_000);
    const added = server.memory() - before;
    print(`${sockets.length} idle sockets: ${(added / megabyte).toFixed(1)} MB, ${(added / sockets.length / 1024).toFixed(1)} KB each`);
    for (const socket of sockets) socket.terminate();
    return added;
  } finally {
    await server.kill('SIGTERM');
    await scratch.remove();
  }
}
