import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = path.resolve(import.meta.dirname, '../../scripts/take-pictures.mjs');
// Only a run that takes pictures after all gets that far.
const timeout = 60_000;
const take = (...given: string[]) => promisify(execFile)(process.execPath, [script, ...given], { timeout });

it.each(['--help', '-h'])('npm run pictures %s says how it is used, and takes none', async (requested) => {
  const { stdout } = await take(requested);
  expect(stdout).toContain('--only <path>');
  expect(stdout.split('\n')[0]).toContain('npm run pictures');
  expect(stdout).not.toContain('Building');
});

it('an option that nobody knows takes none either', async () => {
  await expect(take('--onyl', '/log')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('--only <path>') });
});
