import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = `
  const { keepServing } = await import(${JSON.stringify(fileURLToPath(new URL('../../server/process/last-resort.ts', import.meta.url)))});
  const { EventEmitter } = await import('node:events');
  let escaped = 0;
  keepServing({ fatal: ({ err, origin }) => {
    console.log(origin, err.message);
    escaped += 1;
    if (escaped === 4) console.log('serves on');
  } });
  setTimeout(() => { throw new Error('timer'); });
  setImmediate(() => new EventEmitter().emit('error', new Error('emitter')));
  process.nextTick(() => { throw new Error('tick'); });
  void Promise.reject(new Error('promise'));
`;

test('last resort: what escapes a callback is logged, and the process goes on', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code).toBe(0);
  const lines = text.trim().split('\n');
  expect(lines.at(-1)).toBe('serves on');
  expect(new Set(lines)).toEqual(
    new Set(['uncaughtException timer', 'uncaughtException emitter', 'uncaughtException tick', 'unhandledRejection promise', 'serves on']),
  );
});
