// Script in every text from other parties (callers, users, upstreams, administrators), on every screen: none of it runs, sends a request, or becomes
// a link that does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { type Api, furnish, owner } from './support/furnish.ts';
import { plainScreens, recordScreens, shellScreens } from './support/screens.ts';
import { foreign, links, markup, scheme, seedHostile } from './support/seed-hostile.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { settle, signIn } from './support/visit.ts';

/** Origin of pictures that administrators show; no other request may go there. It never responds: the error handler of a picture could run. */
const shown = 'https://pictures.example';
/** The chat application that the administrator has chosen. */
const chat = 'https://chat.example';
const written = `${markup} ${links}`.replaceAll(foreign, shown);
const siteTexts: Readonly<Record<string, string>> = {
  SystemName: markup,
  Notice: written,
  About: written,
  HomePageContent: written,
  Footer: written,
  Chats: JSON.stringify([{ [markup]: `${chat}/?key={key}` }]),
  UserUsableGroups: JSON.stringify({ default: `${markup} ${links}` }),
  ModelPrice: JSON.stringify({ [markup]: 1, 'gpt-4o-mini': 1 }),
};

describeInBrowser('hostile texts', () => {
  let folder: string;
  let tidegate: Tidegate;
  let organisation = 0;
  let seeded: Awaited<ReturnType<typeof seedHostile>>;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-hostile-'));
    const database = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: database } });
    const { api } = await furnish(tidegate);
    await api.post('/api/redemption/', { name: 'Regatta', quota: 500_000, count: 2 });
    for (const [key, value] of Object.entries({ ...siteTexts, DrawingEnabled: 'true', TaskEnabled: 'true' }))
      await api.put('/api/option/', { key, value });
    organisation = await foundOrganisation(api);
    await tidegate.stop();
    seeded = await seedHostile(database);
    await tidegate.restart();
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['desk', 'phone'] as const)(
    '%s: no screen runs them, asks for what they name, or links there',
    { timeout: 600_000 },
    async (size) => {
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      const deeds = watchDeeds(visitor, tidegate.url);
      const check = async (screen: string) => {
        await settle(page);
        expect(await harmIn(page), screen).toEqual([]);
        expect(deeds, screen).toEqual([]);
      };
      for (const screen of size === 'desk' ? plainScreens : ['/login']) {
        await page.goto(screen);
        await check(screen);
      }
      await signIn(visitor);
      const { call, drawing, song } = seeded;
      const opened = ['/token?open=1', `/log?open=${call}`, `/midjourney?open=${drawing}`, `/task?open=${song}&range=month`];
      const tabs = ['prices', 'groups', 'content', 'history', 'chat'].map((tab) => `/setting?tab=${tab}`);
      const isChat = (screen: string) => screen.startsWith('/chat');
      const parts = ['', '?tab=teams', '?tab=teams&open=1', '?tab=usage', '?tab=invites', '?tab=settings'];
      const ofOrganisation = parts.map((part) => `/organisation/${organisation}${part}`);
      const all = [...shellScreens, ...ofOrganisation, ...recordScreens(1), ...recordScreens(2), ...opened, ...tabs];
      // Screens with the chat application come last: with request interception the browser's cache is off.
      const screens = [...all.filter((screen) => !isChat(screen)), ...all.filter(isChat)];
      const seenOn: string[] = [];
      for (const screen of size === 'desk' ? screens : [...opened, '/channel', '/user', '/personal']) {
        if (isChat(screen)) await page.route(`${chat}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<p>Chat</p>' }));
        await open(page, screen);
        await check(screen);
        if ((await page.locator('body').innerText()).includes('onerror="harmed=1"')) seenOn.push(screen);
      }
      // They are there, as the texts that they are.
      const owed = [
        '/token?open=1',
        `/log?open=${call}`,
        `/midjourney?open=${drawing}`,
        `/task?open=${song}&range=month`,
        '/channel',
        '/user',
      ];
      const ofParts = ['/organisations', `/organisation/${organisation}`, `/organisation/${organisation}?tab=teams`];
      expect(seenOn).toEqual(
        expect.arrayContaining(size === 'desk' ? [...owed, ...ofParts, '/redemption', '/pricing', '/personal'] : owed),
      );
      await visitor.context.close();
    },
  );

  it('neither the palette nor a hint that follows a pointer does', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    const deeds = watchDeeds(visitor, tidegate.url);
    await signIn(visitor);
    await page.goto('/channel');
    await settle(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('onerror');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await settle(page);
    expect(await harmIn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    for (const screen of ['/channel', '/user', '/token', '/redemption', '/log']) {
      await page.goto(screen);
      await settle(page);
      const targets = page.locator('main [title], main [aria-describedby], main [data-row-key] *:has(> svg)').filter({ visible: true });
      await targets.first().waitFor();
      for (const target of await targets.all()) await target.hover({ timeout: 1_000, force: true }).catch(() => undefined);
      expect(await harmIn(page), screen).toEqual([]);
    }
    expect(deeds).toEqual([]);
    await visitor.context.close();
  });

  it('an upstream’s refusal and its answer stay texts in the playground', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    const deeds = watchDeeds(visitor, tidegate.url);
    await signIn(visitor);
    await page.goto('/playground');
    const ask = async (words: string) => {
      await page.getByRole('textbox', { name: text('playground.ask.label') }).fill(words);
      await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).click();
    };
    const words = `${markup} ${links} ![p](${foreign}/p.png) [x](data:text/html,<script>harmed=1</script>) <${foreign}/auto>`;
    tidegate.upstream.behave({ text: `${words}\n\n\`\`\`${markup}\n${words}\n\`\`\``, reasoning: words }, { times: 1 });
    await ask(words);
    await page.getByRole('article').last().getByText('USD').waitFor();
    await settle(page);
    expect(await harmIn(page)).toEqual([]);
    tidegate.upstream.behave({ status: 400, error: { message: words, type: markup, code: markup } });
    await ask('again');
    await page.getByRole('article').last().getByText('harmed=1').first().waitFor();
    await settle(page);
    expect(await harmIn(page)).toEqual([]);
    expect(deeds).toEqual([]);
    await visitor.context.close();
  });

  it('a link to the sign-in leads to this console only, whatever it names', async () => {
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    const deeds = watchDeeds(visitor, tidegate.url);
    const places = [
      '//evil.example/x',
      '/\\evil.example',
      '/\t/evil.example',
      '\t//evil.example',
      '/..//evil.example',
      '/\u0000/evil.example',
    ];
    const targets = [...places, `${foreign}/x`, scheme, `\u0001${scheme}`, 'data:text/html,<script>harmed=1</script>'];
    await page.goto(`/login?from=${encodeURIComponent('/\t/evil.example')}`);
    await page.getByLabel(text('session.login.username')).fill(owner.username);
    await page.getByLabel(text('session.login.password'), { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
    await page.waitForURL((url) => url.pathname !== '/login');
    for (const target of targets) {
      // A user who is signed in is redirected at once.
      await page.goto(`/login?from=${encodeURIComponent(target)}`);
      await settle(page);
      expect(page.url().startsWith(`${tidegate.url}/`), target).toBe(true);
      expect(await harmIn(page), target).toEqual([]);
    }
    expect(deeds).toEqual([]);
    await visitor.context.close();
  });

  it('a foreign page can neither frame the console nor talk to it', async () => {
    const visitor = await createVisitor(tidegate.url, {}, /frame-ancestors|Refused to (display|frame)/i);
    const { page } = visitor;
    await signIn(visitor);
    await visitor.context.route(`${foreign}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<h1>Foreign</h1><iframe src="${tidegate.url}/token"></iframe>` }),
    );
    await page.goto(`${foreign}/frame`);
    await page.getByRole('heading', { name: 'Foreign' }).waitFor();
    await page.waitForFunction(() => frames.length === 1);
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    await expect.poll(() => inside?.url()).toMatch(/^chrome-error:/);
    await visitor.context.close();
  });
});

/** What happened that no text may make happen, as it happens: dialogs, requests elsewhere, windows, and what the policy has stopped. */
function watchDeeds({ context, page, complaints }: Visitor, own: string): string[] {
  const deeds: string[] = [];
  context.setDefaultTimeout(60_000);
  complaints.push = (...lines) => {
    deeds.push(...lines.filter((line) => /content security policy|uncaught/i.test(line)));
    return Array.prototype.push.apply(complaints, lines);
  };
  page.on('dialog', (dialog) => {
    deeds.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (opened) => deeds.push(`window: ${opened.url()}`));
  context.on('request', (request) => {
    const url = request.url();
    const isPicture = url.startsWith(shown) && request.resourceType() === 'image';
    if (!url.startsWith(own) && !/^(data|blob|about):/.test(url) && !isPicture && !url.startsWith(chat))
      deeds.push(`request: ${request.resourceType()} ${url}`);
  });
  return deeds;
}

/** One navigation may be ended by another, of a screen that leads on. */
async function open(page: Page, screen: string): Promise<void> {
  await page.goto(screen).catch((failure: unknown) => {
    if (!String(failure).includes('ERR_ABORTED')) throw failure;
  });
}

/** Returns parts of a page that are script from a text, or would run when pressed. */
async function harmIn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const bad: string[] = 'harmed' in window ? ['it ran'] : [];
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        const target = value.replaceAll(/[\p{Cc}\s]/gu, '');
        const leads = /^(href|src|action|formaction|xlink:href|data|poster|srcset|background)$/.test(name);
        if (name.startsWith('on') || name === 'srcdoc' || (leads && /^(javascript|vbscript|data:text)/i.test(target)))
          bad.push(element.outerHTML.slice(0, 200));
      }
    }
    for (const link of document.querySelectorAll('a[href]'))
      if (link.getAttribute('target') === '_blank' && !(link.getAttribute('rel') ?? '').includes('noopener'))
        bad.push(link.outerHTML.slice(0, 200));
    return bad;
  });
}

/** Script in the names of an organisation and of a team, and in an address that is invited. Returns its id. */
async function foundOrganisation(api: Api): Promise<number> {
  // At most 60 characters.
  const name = `<img src=${foreign}/i onerror="harmed=1">`;
  const { id } = (await api.post('/api/organisation/', { name, ref: 'hostile-names' })) as { id: number };
  await api.post(`/api/organisation/${id}/teams`, { name });
  await api.post(`/api/organisation/${id}/invites`, { emails: ['<b>a</b>@evil.example'], delivery: 'link', role: 'reader' });
  return id;
}
