import { expect, test } from 'vitest';
import type { NamedSums } from '#shared/dashboard.ts';
import { logLink, namedLogLink } from './log-link.ts';
import { questionOf } from './dashboard-question.ts';

const admin = { isAdmin: true, usualStep: 'hour' } as const;
const time = { start: 100, end: 3700 };
const named = (name: string, label = name, token?: NamedSums['token']): NamedSums => ({
  name,
  label,
  ...(token === undefined ? {} : { token }),
  sums: { calls: 1, errors: 0, quota: 1, prompt_tokens: 0, completion_tokens: 0, first_byte_ms: 0, duration_ms: 0 },
});

test('log-link: a step leads to its calls, to the second', () => {
  expect(logLink(questionOf({}, admin), time)).toEqual({ range: 'custom', from: 100, to: 3699, type: 2 });
  expect(logLink(questionOf({ user: 'mira' }, admin), time, { isFailed: true })).toMatchObject({ user: 'mira', result: 'failed' });
});

test('log-link: a name leads to what it is, and to nothing that is called alike', () => {
  expect(namedLogLink(questionOf({}, admin), time, named('gpt-4o'))).toMatchObject({ model: '"gpt-4o"' });
  expect(namedLogLink(questionOf({ by: 'channel' }, admin), time, named('12', '#12 main'))).toMatchObject({ channel: 12 });
  expect(namedLogLink(questionOf({ by: 'user' }, admin), time, named('7', 'mira'))).toMatchObject({ user: 'mira' });
  const token = namedLogLink(
    questionOf({ by: 'token' }, admin),
    time,
    named('7#12', 'mira / a / b: c', { name: 'a / b: c', username: 'mira' }),
  );
  expect(token).toMatchObject({ user: 'mira', token: 'a / b: c' });
  const own = questionOf({ by: 'token' }, { isAdmin: false, usualStep: 'hour' });
  const ownToken = named('7#12', 'default #12', { name: 'default' });
  expect(namedLogLink(own, time, ownToken)).toMatchObject({ token: 'default' });
  expect(namedLogLink(own, time, ownToken)).toHaveProperty('user', undefined);
});
