// Every path of the vendors' SDKs is served, or rejected in the vendor's format with 501, which SDKs do not retry; 404 would mean that a
// model or an object does not exist.
import { globSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

interface Package {
  name: string;
  folder: string;
  headers: Record<string, string>;
  /** What paths begin with where there is something. */
  served: readonly string[];
  refusal: object;
}

const packages: readonly Package[] = [
  {
    name: 'openai',
    folder: 'node_modules/openai/resources',
    headers: { authorization: 'Bearer sk-none' },
    served: [
      'batches',
      'chat',
      'completions',
      'conversations',
      'files',
      'images',
      'models',
      'moderations',
      'realtime',
      'responses',
      'vector_stores',
      'videos',
    ],
    refusal: { error: { code: 'verb_unknown', type: 'new_api_error' } },
  },
  {
    name: '@anthropic-ai/sdk',
    folder: 'node_modules/@anthropic-ai/sdk/resources',
    headers: { 'x-api-key': 'sk-none', 'anthropic-version': '2023-06-01' },
    served: ['files', 'messages', 'models'],
    refusal: { type: 'error', error: { type: 'api_error' } },
  },
];

describe.each(packages)('paths of $name', ({ folder, headers, served, refusal }) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(embeddedEngine);
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const called = beginningsIn(folder);

  test('are found in the package', () => {
    expect(called.length).toBeGreaterThan(10);
    expect(called).toEqual(expect.arrayContaining([...served]));
  });

  test.each(called.filter((name) => !served.includes(name)))('/v1/%s is told to be missing', async (name) => {
    for (const path of [`/v1/${name}`, `/v1/${name}/x`]) {
      const response = await fetch(`${app.origin}${path}`, { headers });
      expect([path, response.status]).toEqual([path, 501]);
      expect(await response.json()).toMatchObject(refusal);
    }
  });
});

/** The first words of the paths that a package calls: `/chat/completions`, `/v1/files?beta=true`, `/v1/agents/${id}`. */
function beginningsIn(folder: string): string[] {
  const names = globSync(`${folder}/**/*.js`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/[`'](?:\/v1)?\/([a-z_]+)(?=[/`'?:])/g)].map(([, name = '']) => name),
  );
  return [...new Set(names)].toSorted();
}
