// The site's own name and logo, wherever they are shown outside the console's pages.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { manifest } from '#pwa/manifest.ts';
import { embeddedEngine, oneEngine } from '#tests/support/engines.ts';
import type { TestClient } from '#tests/support/http-client.ts';
import { createMailDesk } from '#tests/support/mail-desk.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const pngText = `data:image/png;base64,${png.toString('base64')}`;
const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

describe.each(oneEngine)('name and logo on $kind', (engine) => {
  let app: TestApp;
  let root: TestClient;
  let folder: string;
  const save = async (key: string, value: string) => {
    expect(await root.put('/api/option/', { key, value })).toMatchObject({ success: true });
  };
  const read = async () => {
    const response = await fetch(`${app.origin}/manifest.webmanifest`);
    expect(response.headers.get('content-type')).toMatch('application/manifest+json');
    return { manifest: await response.json(), etag: response.headers.get('etag') };
  };
  const logo = async (): Promise<string> => (await app.anonymous().get('/api/status')).data.logo;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-console-'));
    await writeFile(path.join(folder, 'index.html'), '<!doctype html>');
    await writeFile(path.join(folder, 'manifest.webmanifest'), JSON.stringify(manifest));
    app = await createTestApp(engine, { consoleFolder: folder });
    root = await app.setup();
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  it('are the product’s own as long as nobody has set others', async () => {
    const before = await read();
    expect(before.manifest).toEqual(JSON.parse(JSON.stringify(manifest)));
    expect(await logo()).toBe('');
    expect((await fetch(`${app.origin}/logo`)).status).toBe(404);
  });

  it('stand in the manifest at once, and what else it says stays', async () => {
    const before = await read();
    await save('SystemName', 'Harbour "North"');
    const named = await read();
    expect(named.etag).not.toBe(before.etag);
    expect(named.manifest).toEqual({ ...before.manifest, name: 'Harbour "North"', short_name: 'Harbour "North"' });
    await save('Logo', 'https://pictures.example/logo.png');
    expect((await read()).manifest.icons).toEqual([{ src: 'https://pictures.example/logo.png', sizes: 'any', purpose: 'any' }]);
    expect(await logo()).toBe('https://pictures.example/logo.png');
  });

  it('an uploaded picture has an address of its own, which changes with it', async () => {
    await save('Logo', pngText);
    const address = await logo();
    expect(address).toMatch(/^\/logo\?v=[\w-]{12}$/);
    const { icons, shortcuts } = (await read()).manifest;
    expect(icons).toEqual([{ src: address, sizes: '1x1', type: 'image/png', purpose: 'any' }]);
    expect(shortcuts[0].icons).toEqual([{ src: address, sizes: '1x1', type: 'image/png' }]);
    const picture = await fetch(app.origin + address);
    expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true);
    expect(picture.headers.get('content-type')).toBe('image/png');
    expect(picture.headers.get('cache-control')).toContain('immutable');
    // An old address shows the new picture, and is revalidated.
    expect((await fetch(`${app.origin}/logo?v=old`)).headers.get('cache-control')).toBe('no-cache');
    const head = await fetch(app.origin + address, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);

    await save('Logo', `data:image/svg+xml,${encodeURIComponent(drawing)}`);
    expect(await logo()).not.toBe(address);
    expect((await read()).manifest.icons).toMatchObject([{ sizes: 'any', type: 'image/svg+xml' }]);
    const drawn = await fetch(app.origin + (await logo()));
    expect(await drawn.text()).toBe(drawing);
    // Letters may stand as they are.
    await save('Logo', 'data:image/svg+xml;utf8,<svg%20xmlns=".">北%E6%B8%AF</svg>');
    expect(await (await fetch(app.origin + (await logo()))).text()).toBe('<svg xmlns=".">北港</svg>');
    // Opened on its own, it runs nothing.
    expect(drawn.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    expect(drawn.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('a picture may be so large and no larger, and is one', async () => {
    const saved = await root.put('/api/option/', { key: 'Logo', value: `data:image/png;base64,${'A'.repeat(400_000)}` });
    expect(saved).toMatchObject({ success: false, code: 'option_too_long', field: 'Logo' });
    for (const value of ['data:text/html,<script>', 'javascript:alert(1)', '//elsewhere.example/x.png']) {
      expect(await root.put('/api/option/', { key: 'Logo', value })).toMatchObject({ success: false, field: 'Logo' });
    }
    await save('Logo', `data:image/png;base64,${'A'.repeat(399_000)}`);
  });
});

describe('mails', () => {
  it('begin with the name and the logo, which travels with them', async () => {
    await using desk = await createMailDesk(embeddedEngine, { tls: 'none' });
    const { mail } = desk.app.context;
    const message = { to: 'mei@example.org', subject: 'x', text: 'x', html: '<p>The news</p>' };
    await desk.root.put('/api/option/', { key: 'SystemName', value: 'Harbour <North>' });
    await mail.send(message);
    expect(desk.smtp.mails[0]?.html).toMatch(/Harbour &#60;North&#62;<\/p><p>The news<\/p>/);
    expect(desk.smtp.mails[0]?.html).not.toContain('<img');

    await desk.root.put('/api/option/', { key: 'Logo', value: pngText });
    await mail.send(message);
    expect(desk.smtp.mails[1]?.html).toContain('<img src="cid:logo@tidegate"');
    expect(desk.smtp.mails[1]?.html).not.toContain('data:');
    expect(desk.smtp.mails[1]?.raw).toMatch(/Content-Id: <logo@tidegate>/i);
    expect(desk.smtp.mails[1]?.raw.replaceAll(/\s/g, '')).toContain(png.toString('base64'));

    await desk.root.put('/api/option/', { key: 'Logo', value: 'https://pictures.example/logo.png?a=1&b=2' });
    await mail.send(message);
    expect(desk.smtp.mails[2]?.html).toContain('<img src="https://pictures.example/logo.png?a=1&#38;b=2"');
    // Without a site address, a path leads nowhere.
    await desk.root.put('/api/option/', { key: 'Logo', value: '/own.png' });
    await mail.send(message);
    expect(desk.smtp.mails[3]?.html).not.toContain('<img');
    await desk.root.put('/api/option/', { key: 'ServerAddress', value: 'https://gate.example' });
    await mail.send(message);
    expect(desk.smtp.mails[4]?.html).toContain('<img src="https://gate.example/own.png"');
  });
});
