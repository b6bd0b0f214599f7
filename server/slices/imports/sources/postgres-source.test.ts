import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openPostgresSource } from './postgres-source.ts';

const ours = {
  PGPASSWORD: 'ours-of-the-server',
  PGUSER: 'ours-of-the-server',
  PGDATABASE: 'ours-of-the-server',
  PGOPTIONS: '-c ours-of-the-server=1',
  PGAPPNAME: 'ours-of-the-server',
  PGSSLMODE: 'require',
};

afterEach(() => vi.unstubAllEnvs());

it('postgres-source: neither variables nor the password file of the server complete an address', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pgpass-'));
  await writeFile(path.join(folder, 'pgpass'), '*:*:*:*:ours-of-the-server\n', { mode: 0o600 });
  const bytes: Buffer[] = [];
  // Requests the password in clear as soon as a client begins, and leaves after its next message.
  const server = createServer((socket) => {
    socket.once('data', (begin) => {
      bytes.push(Buffer.from(begin));
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      socket.once('data', (answer) => {
        bytes.push(Buffer.from(answer));
        socket.end();
      });
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [name, value] of Object.entries({ ...ours, PGPASSFILE: path.join(folder, 'pgpass') })) vi.stubEnv(name, value);
  await expect(openPostgresSource(`postgres://reader@127.0.0.1:${port}/theirs`)).rejects.toThrow('cannot be reached');
  server.close();
  await rm(folder, { recursive: true });
  const sent = Buffer.concat(bytes).toString('latin1');
  expect(sent).toContain('user\0reader\0database\0theirs');
  expect(sent).not.toContain('ours-of-the-server');
});
