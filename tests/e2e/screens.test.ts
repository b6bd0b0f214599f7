// Every screen of the console: on a phone, on a tablet or at a desk, light or dark, in one language or the other, in turn.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { createVisitor, describeInBrowser, type Visitor, type VisitorOptions } from './support/browser.ts';
import { askPlayground, drawPictures } from './support/fill.ts';
import { inTurn } from './support/in-turn.ts';
import { furnish, owner } from './support/furnish.ts';
import { listScreens, plainScreens, shellScreens } from './support/screens.ts';
import { drawings, music, seedTasks } from './support/seed-tasks.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'phone', scheme: 'dark', language: 'en' },
  { size: 'tablet', scheme: 'light', language: 'en' },
  { size: 'tablet', scheme: 'dark', language: 'zh' },
  { size: 'desk', scheme: 'light', language: 'en' },
  { size: 'desk', scheme: 'dark', language: 'zh' },
];

describeInBrowser('screens', () => {
  let tidegate: Tidegate;
  let folder: string;
  let database: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-screens-'));
    database = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: database } });
  });
  afterAll(async () => {
    await tidegate.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const look of inTurn(looks, 0, looks.length)) {
    const name = `${look.size}, ${look.scheme}, ${look.language}`;

    it(`${name}: the setup wizard of a new installation is sound`, async () => {
      await using fresh = await startTidegate();
      const visitor = await createVisitor(fresh.url, look);
      await visitor.page.goto('/');
      await visitor.page.waitForURL('**/setup');
      await expectSoundScreen(visitor);
      await visitor.context.close();
    });
  }

  describe.each(looks)('$size, $scheme, $language', (look) => {
    const place = looks.indexOf(look);
    const mine = (screens: readonly string[]) => inTurn(screens, place, looks.length);
    let visitor: Visitor;

    describe('nobody signed in', () => {
      beforeAll(async () => {
        await furnishOnce();
        visitor = await createVisitor(tidegate.url, look);
      });
      afterAll(() => visitor.context.close());

      it.each(mine([...plainScreens, '/', ...(shellScreens.includes('/pricing') ? ['/pricing'] : []), '/no/such/page']))(
        '%s is sound',
        (screen) => expectSoundAt(visitor, screen),
      );
    });

    describe('an administrator', () => {
      beforeAll(async () => {
        await furnishOnce();
        visitor = await createVisitor(tidegate.url, look);
        await signIn(visitor);
        await drawPictures(visitor);
        await askPlayground(visitor, tidegate, look.language);
      });
      afterAll(() => visitor.context.close());

      it.each(mine([...shellScreens, ...(shellScreens.includes('/token') ? ['/token?open=new'] : [])]))('%s is sound', (screen) =>
        expectSoundAt(visitor, screen),
      );

      it.each(mine(listScreens))('%s: a record beside its list is sound', async (screen) => {
        await visitor.page.goto(screen);
        await settle(visitor.page);
        await openFirstRecord(visitor, look.size === 'phone');
        await expectSoundScreen(visitor);
      });
    });
  });

  let furnishing: Promise<unknown> | undefined;
  async function furnishAll(): Promise<void> {
    const { api } = await furnish(tidegate);
    // A page of this machine: those of the setting's default are out of reach.
    await api.put('/api/option/', { key: 'Chats', value: JSON.stringify([{ Lighthouse: `${tidegate.url}/icon.svg#{key}` }]) });
    for (const key of ['DrawingEnabled', 'TaskEnabled']) await api.put('/api/option/', { key, value: 'true' });
    await seedTasks(database, { id: 1, username: owner.username }, [...drawings, ...music]);
  }
  function furnishOnce(): Promise<unknown> {
    return (furnishing ??= furnishAll());
  }
});

async function expectSoundAt(visitor: Visitor, screen: string): Promise<void> {
  await visitor.page.goto(screen);
  await visitor.page.getByRole('main').waitFor();
  await expectSoundScreen(visitor).catch((failure: unknown) => {
    if (failure instanceof Error) failure.message = `${screen}: ${failure.message}`;
    throw failure;
  });
}

async function openFirstRecord({ page }: Visitor, isPhone: boolean): Promise<void> {
  const main = page.getByRole('main');
  const before = page.url();
  if (isPhone) await main.getByRole('listitem').getByRole('button').first().click();
  else {
    // Days have rows of their own, but no cells.
    await main
      .getByRole('row')
      .filter({ has: page.getByRole('cell') })
      .first()
      .focus();
    await page.keyboard.press('Enter');
  }
  await page.waitForFunction((old) => location.href !== old, before);
}
