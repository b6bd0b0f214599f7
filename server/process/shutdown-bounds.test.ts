import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { cutCallsMs, jobPatienceMs, lastWordsMs, noticePatienceMs, settleSeconds } from './shutdown-bounds.ts';

test('a server gives up no earlier than each step of its shutdown may have taken its time', () => {
  expect(settleSeconds * 1000).toBeGreaterThan(lastWordsMs + cutCallsMs + jobPatienceMs + noticePatienceMs);
});

test('compose.yaml lets a server end by itself', () => {
  const compose = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8');
  const seconds = Number(/stop_grace_period: (\d+)s/.exec(compose)?.[1]);
  expect(seconds).toBeGreaterThan(readEnv({}).SHUTDOWN_GRACE + settleSeconds);
});
