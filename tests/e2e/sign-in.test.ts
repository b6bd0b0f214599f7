// Signing in elsewhere, in a browser: the buttons, the way there and back, and what the personal settings show of it.
import { expect, it } from 'vitest';
import { startFakeServices } from '#tests/support/fake-services.ts';
import { serviceAddresses, serviceOptions } from '#tests/support/sign-in-desk.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signInByForm } from './support/visit.ts';

describeInBrowser('sign-in elsewhere', () => {
  it('a button for each provider leads there and back into an account, whose bindings and devices are shown', async () => {
    await using services = await startFakeServices();
    await using tidegate = await startTidegate({ env: serviceAddresses(services.url) });
    const { api } = await furnish(tidegate);
    for (const [key, value] of Object.entries(serviceOptions(services.url))) await api.put('/api/option/', { key, value });
    const route = (name: string) => text('signin.ways.with', { name });
    for (const size of ['desk', 'phone'] as const) {
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await page.goto('/login');
      await page.getByRole('button', { name: route('GitHub') }).waitFor();
      for (const name of ['OIDC', 'Linux DO', 'Telegram', text('signin.name.wechat')]) {
        expect(await page.getByRole('button', { name: route(name) }).count(), name).toBe(1);
      }
      await expectSoundScreen(visitor);
      await page.getByRole('button', { name: route('OIDC') }).click();
      await page.waitForURL((url) => url.pathname === '/token');
      await page.goto('/personal');
      await settle(page);
      await page.getByRole('heading', { name: text('signin.sessions.title') }).waitFor();
      await page.getByText('subject-1').waitFor();
      await page.getByText(text('signin.sessions.current')).waitFor();
      await expectSoundScreen(visitor);
      if (size === 'desk') {
        const row = page.getByRole('listitem').filter({ hasText: 'Telegram' });
        await row.getByRole('button', { name: text('signin.bindings.bind'), exact: true }).click();
        await page.getByText(text('signin.bindings.bound_done'), { exact: true }).waitFor();
        await page.getByRole('listitem').filter({ hasText: 'Telegram' }).getByText('4711').waitFor();
      }
      await visitor.context.close();
    }
  });

  it('what goes wrong on the way back is said, and leads to the sign-in', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await page.goto('/oauth/github?code=abc&state=made-up');
    await page.getByRole('alert').waitFor();
    await page.getByText(text('signin.callback.redirecting')).waitFor();
    await page.getByRole('link', { name: text('signin.callback.to_login') }).click();
    await page.waitForURL((url) => url.pathname === '/login');
    // Who waits is led there too; who is signed in, to the bindings.
    await page.goto('/oauth/github?code=abc&state=made-up');
    await page.waitForURL((url) => url.pathname === '/login');
    expect(await visitor.context.cookies(), 'nobody is signed in').not.toContainEqual(expect.objectContaining({ name: 'session' }));
    await signInByForm(visitor);
    await page.goto('/oauth/github?code=abc&state=made-up');
    await page.getByText(text('signin.callback.back_to_personal')).waitFor();
    await page.waitForURL((url) => url.pathname === '/personal');
    await visitor.context.close();
  });

  it('who has lost a password, or has one, finds the way', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    for (const path of ['/reset', '/user/reset', '/user/reset?email=mira%40example.org&token=abc']) {
      await page.goto(path);
      await settle(page);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectSoundScreen(visitor);
    }
    await page.getByRole('button', { name: text('signin.new_password.submit') }).click();
    await page.getByRole('alert').waitFor();
    await signInByForm(visitor);
    await visitor.context.close();
  });
});
