// Metadata of a request is returned to its caller and free: its number of pairs and their lengths are limited.
import { describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { createScene, testModel } from '#tests/support/relay-scene.ts';

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_none, index) => [`k${index}`, 'v']));

const openai = {
  field: 'metadata',
  good: [pairs(16), { ['k'.repeat(64)]: 'v'.repeat(512) }, { ['\u{1f30a}'.repeat(64)]: '\u{1f30a}'.repeat(512) }, {}],
  bad: [
    [pairs(17), 'metadata '],
    [{ ['k'.repeat(65)]: 'v' }, `metadata.${'k'.repeat(64)} `],
    [{ k: 'v'.repeat(513) }, 'metadata.k '],
    [{ k: 'v'.repeat(1_000_000) }, 'metadata.k '],
    ['x', 'metadata '],
  ],
};
const wrongTypes = [
  [{ k: 1 }, 'metadata.k '],
  [{ k: { a: 'b' } }, 'metadata.k '],
];
const formats = [
  { path: '/v1/responses', fields: { input: 'Hi' }, ...openai, bad: [...openai.bad, ...wrongTypes] },
  { path: '/v1/chat/completions', fields: { messages: [{ role: 'user', content: 'Hi' }] }, ...openai, good: [...openai.good, { k: 1 }] },
  { path: '/v1/conversations', fields: {}, ...openai, bad: [...openai.bad, ...wrongTypes] },
  {
    path: '/v1beta/interactions',
    fields: { input: 'Hi' },
    field: 'labels',
    good: [pairs(64), { ['k'.repeat(63)]: 'v'.repeat(63) }, { k: '' }],
    bad: [
      [pairs(65), 'labels '],
      [{ ['k'.repeat(64)]: 'v' }, `labels.${'k'.repeat(63)} `],
      [{ k: 'v'.repeat(64) }, 'labels.k '],
      [{ k: 1 }, 'labels.k '],
      ['x', 'labels '],
    ],
  },
];

const ids = [
  { path: '/v1/responses', fields: { input: 'Hi' }, field: 'user', most: 512 },
  { path: '/v1/responses', fields: { input: 'Hi' }, field: 'safety_identifier', most: 128 },
  { path: '/v1/responses', fields: { input: 'Hi' }, field: 'prompt_cache_key', most: 64 },
  { path: '/v1/chat/completions', fields: { messages: [{ role: 'user', content: 'Hi' }] }, field: 'user', most: 512 },
  { path: '/v1/chat/completions', fields: { messages: [{ role: 'user', content: 'Hi' }] }, field: 'safety_identifier', most: 128 },
  { path: '/v1/chat/completions', fields: { messages: [{ role: 'user', content: 'Hi' }] }, field: 'prompt_cache_key', most: 1024 },
  { path: '/v1/completions', fields: { prompt: 'Hi' }, field: 'user', most: 512 },
].map(({ most, ...format }) => ({
  ...format,
  good: ['x'.repeat(most), '\u{1f30a}'.repeat(most), '', null],
  bad: [
    ['x'.repeat(most + 1), `${format.field} `],
    ['x'.repeat(1_000_000), `${format.field} `],
    [1, `${format.field} `],
  ],
}));
/** What Codex says of itself. */
const notes = {
  path: '/v1/responses',
  fields: { input: 'Hi' },
  field: 'client_metadata',
  good: [pairs(32), { session_id: 'v'.repeat(16_384) }, { ['k'.repeat(64)]: 1 }, {}],
  bad: [
    [pairs(33), 'client_metadata '],
    [{ ['k'.repeat(65)]: 'v' }, `client_metadata.${'k'.repeat(64)} `],
    [{ k: 'v'.repeat(16_385) }, 'client_metadata.k '],
    [{ k: ['v'.repeat(16_385)] }, 'client_metadata.k '],
    ['x', 'client_metadata '],
  ],
};

describe.each(engines)('bounds of metadata on $kind', (engine) => {
  test.each([...formats, ...ids, notes])('of $field of $path', async ({ path, fields, field, good, bad }) => {
    await using scene = await createScene(engine);
    const ask = (value: unknown) => scene.post(path, { model: testModel, ...fields, [field]: value }, { 'accept-language': 'en' });
    for (const value of good) expect((await ask(value)).status).toBe(200);
    const sent = scene.upstream.requests.length;
    for (const [value, name] of bad) {
      const refused = await ask(value);
      expect(refused.status).toBe(400);
      expect((await refused.json()).error.message).toContain(name);
    }
    expect(scene.upstream.requests).toHaveLength(sent);
    await scene.checkBooks();
  });
});
