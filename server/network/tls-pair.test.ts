import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { readTlsPair, type TlsPair, watchTlsPair } from './tls-pair.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../../tests/fixtures/tls/${name}`, import.meta.url));

async function watched() {
  const folder = await mkdtemp(path.join(tmpdir(), 'tidegate-tls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  const put = async (cert: string, key: string) => {
    await copyFile(fixture(cert), files.cert);
    await copyFile(fixture(key), files.key);
  };
  await put('localhost.pem', 'localhost-key.pem');
  const used: TlsPair[] = [];
  const refused: string[] = [];
  let loaded = 0;
  const reports = { loaded: () => void (loaded += 1), refused: (reason: string) => void refused.push(reason) };
  const watch = watchTlsPair(files, await readTlsPair(files), { use: (pair) => void used.push(pair), reports });
  onTestFinished(watch.stop);
  return { files, put, used, refused, watch, loaded: () => loaded };
}

test('a pair that replaces the first is used once; one that is the same is not', async () => {
  const { put, used, refused, watch, loaded } = await watched();
  await watch.check();
  expect(used).toEqual([]);
  await put('other.pem', 'other-key.pem');
  await watch.check();
  await watch.check();
  expect([used.length, loaded(), refused]).toEqual([1, 1, []]);
});

test('a broken pair is refused once, by the name of its file, and the pair that repairs it is used', async () => {
  const { files, put, used, refused, watch } = await watched();
  await put('other.pem', 'localhost-key.pem');
  await watch.check();
  await watch.check();
  expect(refused).toEqual([expect.stringMatching(/^TLS_CERT and TLS_KEY do not belong together/)]);
  await writeFile(files.cert, 'half of a certificate');
  await watch.check();
  expect(refused.at(-1)).toMatch(/^TLS_CERT: not a certificate in PEM/);
  await put('other.pem', 'other-key.pem');
  await writeFile(files.key, '');
  await watch.check();
  expect(refused.at(-1)).toMatch(/^TLS_KEY: not a private key/);
  await rm(files.key);
  await watch.check();
  expect(refused.at(-1)).toMatch(/^TLS_KEY: .*key\.pem cannot be read \(ENOENT/);
  expect(used).toEqual([]);
  await put('other.pem', 'other-key.pem');
  await watch.check();
  expect([used.length, refused.length]).toEqual([1, 4]);
});

test.each([
  ['TLS_CERT', { cert: fixture('README.md'), key: fixture('localhost-key.pem') }],
  ['TLS_KEY', { cert: fixture('localhost.pem'), key: fixture('README.md') }],
  ['TLS_CERT and TLS_KEY do not', { cert: fixture('localhost.pem'), key: fixture('other-key.pem') }],
  ['TLS_KEY: .*nothing', { cert: fixture('localhost.pem'), key: '/nothing' }],
])('at start, unusable files are an error that begins with %s', async (name, files) => {
  await expect(readTlsPair(files)).rejects.toThrow(new RegExp(`^${name}`));
});
