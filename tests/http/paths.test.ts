import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { embeddedEngine } from '#tests/support/engines.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

describe('paths of the console API', () => {
  it('a path that does not exist is 404 in the envelope, on every route of the contracts', async () => {
    await using app = await createTestApp(embeddedEngine);
    const root = await app.setup();
    const { body } = await root.get('/api/openapi.json');
    const document = Document.parse(body);
    const routes = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/'));
    expect(routes.length).toBeGreaterThan(30);
    const missing: string[] = [];
    let numbered = 0;
    for (const [template, methods] of routes) {
      const path = template.replaceAll(/\{(?!id\})\w+\}/g, 'name');
      // Below some paths a name may stand, of a session for instance.
      const takesName = routes.some(([other]) => /\/\{(?!id\})\w+\}$/.test(other) && other.startsWith(`${path.replace(/\/$/, '')}/{`));
      missing.push(path.replace('{id}', '1').replace(/\/?$/, takesName ? '/no-such/path' : '/no-such-path'));
      if (!path.includes('{id}')) continue;
      numbered += Object.keys(methods).length;
      for (const id of ['abc', '-1', '1.5', '1e3', '0x10', '%31', '%E0%A4%A', '1%20', '9'.repeat(16)])
        missing.push(path.replace('{id}', id));
    }
    expect(numbered).toBeGreaterThan(5);
    for (const path of missing) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        const answer = await root.call(method, path, method === 'GET' ? undefined : {});
        expect(answer, `${method} ${path}`).toMatchObject({
          status: 404,
          success: false,
          code: 'invalid_url',
          message: `Invalid URL (${method} ${path})`,
        });
      }
    }
    expect(await app.anonymous().get('/api/user/abc')).toMatchObject({ status: 404, code: 'invalid_url' });
  });
});
