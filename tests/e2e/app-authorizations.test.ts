// A person allows an application a key, refuses one, allows a device, and ends a key.
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { furnish, owner } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';
import { savePicture } from './support/save-picture.ts';

const looks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'tablet', scheme: 'dark', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'en' },
];
const verifier = 'a-verifier-of-an-application-that-is-long-enough';
const challenge = createHash('sha256').update(verifier).digest('base64url');
const callback = 'https://notes.example/cb';

const oauthAddress = (fields: Record<string, string> = {}) =>
  `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'notes',
    client_name: 'Notes',
    redirect_uri: callback,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: '007',
    ...fields,
  })}`;

describeInBrowser('app authorizations', () => {
  it.each(lookInTurn(looks))('are allowed, refused and ended: $size, $scheme, $language', async (look) => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url, look);
    const { page } = visitor;
    const say = (name: string, values = {}) => text(name, values, look.language);
    const press = (name: string) => page.getByRole('button', { name: say(name), exact: true }).click();
    const picture = (name: string) => savePicture(visitor, `apps-${name}-${look.size}-${look.scheme}-${look.language}`);
    // The application's site.
    await page.route('https://notes.example/**', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Notes</title>' }));
    const arrival = async () => {
      await page.waitForURL((url) => url.host === 'notes.example');
      return new URL(page.url()).searchParams;
    };
    const exchange = async (code: string | null) => {
      const response = await fetch(`${tidegate.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: code ?? '',
          code_verifier: verifier,
          client_id: 'notes',
          redirect_uri: callback,
        }),
      });
      return ((await response.json()) as { access_token: string }).access_token;
    };
    const modelsWith = async (key: string) =>
      (await fetch(`${tidegate.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status;

    // Not signed in: the sign-in leads back to the request.
    await page.goto(oauthAddress());
    await page.getByLabel(say('session.login.username')).fill(owner.username);
    await page.getByLabel(say('session.login.password'), { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: say('session.login.submit'), exact: true }).click();
    await page.getByText('notes.example', { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('consent');
    await press('apps.grant.limits');
    await page.getByLabel(say('tokens.form.name'), { exact: true }).fill('');
    await press('apps.grant.allow');
    await page.getByText(say('tokens.problem.name_required'), { exact: true }).waitFor();
    await page.getByLabel(say('tokens.form.name'), { exact: true }).fill('My notes');
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('limits');
    await press('apps.grant.allow');
    const allowed = await arrival();
    expect(Object.fromEntries(allowed)).toEqual({ code: expect.stringMatching(/^\w{43}$/), state: '007', iss: tidegate.url });
    const key = await exchange(allowed.get('code'));
    expect(await modelsWith(key)).toBe(200);
    // A second request of the same site: its key can be renewed.
    await page.goto(oauthAddress());
    await page.getByRole('radio', { name: say('apps.grant.way.renew') }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('again');
    await press('apps.grant.refuse');
    expect(Object.fromEntries(await arrival())).toEqual({ error: 'access_denied', state: '007', iss: tidegate.url });

    // A request without protection leads nowhere by itself.
    await page.goto(oauthAddress({ code_challenge_method: 'plain' }));
    await page.getByText(say('apps.problem.challenge_plain'), { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('problem');
    await page.goto('/auth?callback_url=javascript:alert(1)');
    await page.getByText(say('apps.problem.callback_refused'), { exact: true }).waitFor();

    // By keyboard alone: the code of a device, and its key.
    const device = (await (
      await fetch(`${tidegate.url}/oauth/device_authorization`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'cli', client_name: 'Claude Code' }),
      })
    ).json()) as { user_code: string; device_code: string };
    await page.goto('/device');
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('device');
    await page.keyboard.type(device.user_code.toLowerCase());
    await page.keyboard.press('Enter');
    await page.getByText('Claude Code', { exact: true }).waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('device-request');
    await pressByKeyboard(page, say('apps.grant.allow'));
    await page.getByText(say('apps.device.allowed_text'), { exact: true }).waitFor();
    await expectSoundScreen(visitor);
    const polled = await fetch(`${tidegate.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'cli',
        device_code: device.device_code,
      }),
    });
    const { access_token: deviceKey } = (await polled.json()) as { access_token: string };
    expect(await modelsWith(deviceKey)).toBe(200);

    // What may do what; one is ended.
    await page.goto('/apps');
    await page.getByText('Claude Code', { exact: true }).first().waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('list');
    await page.getByText('Claude Code', { exact: true }).first().click();
    const panel = panelOf(page, look.size);
    const revoke = panel.getByRole('button', { name: say('apps.list.revoke'), exact: true });
    await revoke.waitFor();
    await settle(page);
    await expectSoundScreen(visitor);
    await picture('panel');
    await revoke.click();
    await expect.poll(() => modelsWith(deviceKey), { timeout: 1500 }).toBe(401);
    expect(await modelsWith(key)).toBe(200);
    await expect.poll(() => page.getByText('Claude Code', { exact: true }).count()).toBe(0);
    await visitor.context.close();
  });

  it('another account can be used, which comes back to the same request', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.post('/api/user/', { username: 'second', password: 'second-lantern', display_name: 'Second' });
    const visitor = await createVisitor(tidegate.url, { language: 'en' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto(oauthAddress());
    await page.getByRole('button', { name: text('apps.grant.switch'), exact: true }).click();
    await page.getByLabel(text('session.login.username')).fill('second');
    await page.getByLabel(text('session.login.password'), { exact: true }).fill('second-lantern');
    await page.getByRole('button', { name: text('session.login.submit'), exact: true }).click();
    await page.getByText(text('apps.grant.account', { name: 'second' }), { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('state')).toBe('007');
    await visitor.context.close();
  });
});

async function pressByKeyboard(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab');
    const reached = await page.evaluate(() => document.activeElement?.textContent ?? '');
    if (reached.trim() !== name) continue;
    await page.keyboard.press('Enter');
    return;
  }
  throw new Error(`${name} is not reached by the keyboard`);
}
