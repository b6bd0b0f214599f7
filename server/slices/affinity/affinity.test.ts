import { expect, test } from 'vitest';
import { clientDialects } from '#server/formats/registry.ts';
import { createSecrets } from '#server/secrets/secrets.ts';
import { createAffinities } from './affinity.ts';

const dialect = clientDialects['openai-chat'];
const affinities = createAffinities({ secrets: createSecrets('a master key of this test') });

function keyOf({
  userId = 1,
  said = 'When is high water?',
  headers = {},
}: {
  userId?: number;
  said?: string;
  headers?: Record<string, string>;
}): string {
  const body = { messages: [{ role: 'user', content: said }] };
  const affinity = affinities.read({ dialect, headers: new Headers(headers), body, userId, model: 'gpt-4o' });
  if (affinity === null) throw new Error('The conversation is not known');
  return affinities.keyOf(affinity);
}

test('the name of a conversation at its provider is the same in every turn, for one user and one conversation', () => {
  expect(keyOf({})).toBe(keyOf({}));
  expect(
    new Set([keyOf({}), keyOf({ userId: 2 }), keyOf({ said: 'And low water?' }), keyOf({ headers: { 'session-id': 's1' } })]).size,
  ).toBe(4);
});

test('it is short, and nobody tells from it what is kept of the conversation here', () => {
  expect(keyOf({})).toMatch(/^[\w-]{32}$/);
  const other = createAffinities({ secrets: createSecrets('another master key') });
  const body = { messages: [{ role: 'user', content: 'When is high water?' }] };
  const affinity = affinities.read({ dialect, headers: new Headers(), body, userId: 1, model: 'gpt-4o' });
  expect(affinity === null ? '' : other.keyOf(affinity)).not.toBe(keyOf({}));
  expect(keyOf({})).not.toContain((affinity?.high ?? 0).toString(16));
});
