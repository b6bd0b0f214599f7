import { expect, it } from 'vitest';
import { defaultClientDialect } from '#server/formats/registry.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { batchEndpoint, batchRoute, formOf, pathThere } from './batch-endpoints.ts';

const form = formOf({ form: 'openai' });
const [openai, azure, moonshot] = [1, 3, 25];

function routeOf(type: number, path: string) {
  const endpoint = batchEndpoint(form, path);
  if (endpoint === undefined) throw new Error(`No endpoint ${path}`);
  const channel = buildPreparedChannel({ type, base_url: 'https://up.example', other: '2025-04-01-preview' });
  return batchRoute(form, channel, endpoint, 'gpt-4o-mini');
}

it('batch-endpoints: no batch goes to a provider that has none of such requests', () => {
  const requested = '/v1/embeddings';
  // The provider serves single requests of that model, but batches only of others.
  const channel = buildPreparedChannel({ type: moonshot, base_url: 'https://up.example' });
  expect(channel.route(defaultClientDialect, 'embeddings', 'gpt-4o-mini')).toMatchObject({ path: requested });
  expect(channel.provider?.runsBatches).toBe('openai');
  expect(routeOf(moonshot, requested)).toBeNull();
  expect(routeOf(openai, requested)).not.toBeNull();
});

it('batch-endpoints: what a provider has batches of goes there by its own name for it', () => {
  expect(routeOf(moonshot, '/v1/chat/completions')).not.toBeNull();
  const there = (type: number, path: string) => pathThere(buildPreparedChannel({ type, base_url: 'https://up.example' }), path);
  expect(there(openai, '/v1/embeddings')).toBe('/v1/embeddings');
  expect(there(azure, '/v1/chat/completions')).toBe('/chat/completions');
  expect(there(moonshot, '/v1/embeddings')).toBeUndefined();
});
