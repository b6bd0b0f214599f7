import { expect, test } from 'vitest';
import { clientDialects } from '#server/formats/registry.ts';
import { callKinds } from '#server/kinds/registry.ts';
import type { RelayServices } from '#server/call/services.ts';
import { buildPreparedChannel } from '#tests/support/build-channel.ts';
import { type AdmittedRequest, possibleRoutes } from './possible-routes.ts';

test('the routes of a model are cached once for all copies of an endpoint, until a setting changes', () => {
  const channel = buildPreparedChannel({ base_url: 'https://up.example' });
  const tiers = [{ priority: 0, channels: [channel], sums: [10] }];
  const settings = { revision: 1 };
  const services = { channels: { tiers: () => tiers }, context: { settings } } as unknown as RelayServices;
  const endpoint = { dialect: clientDialects['openai-chat'], kind: callKinds.chat } as unknown as AdmittedRequest['endpoint'];
  const request = { admission: { group: 'default' }, endpoint, model: 'gpt-4o-mini' } as unknown as AdmittedRequest;
  const routes = possibleRoutes(services, request);
  expect(routes).toHaveLength(1);
  expect(possibleRoutes(services, { ...request, endpoint: { ...endpoint } })).toBe(routes);
  settings.revision += 1;
  expect(possibleRoutes(services, request)).not.toBe(routes);
});
