// The guide to the first call: what it says when a call is refused, and what the channel form does before it saves.
import { expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { createVisitor, describeInBrowser, type Visitor } from './support/browser.ts';
import { type Api, channelBody, owner, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

interface Stage {
  tidegate: Tidegate;
  api: Api;
  visitor: Visitor;
  page: Page;
}

async function setStage(): Promise<Stage> {
  const tidegate = await startTidegate();
  const body = JSON.stringify({ ...owner, confirmPassword: owner.password });
  await fetch(`${tidegate.url}/api/setup`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const api = await signInByApi(tidegate.url, owner);
  const visitor = await createVisitor(tidegate.url);
  await signIn(visitor);
  return { tidegate, api, visitor, page: visitor.page };
}

async function ask(tidegate: Tidegate, key: string, model = 'gpt-4o-mini'): Promise<number> {
  const response = await fetch(`${tidegate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] }),
  });
  await response.text();
  return response.status;
}

describeInBrowser('the guide', () => {
  it('says why a call was refused and where to put it right, and turns green when one arrives', async () => {
    const { tidegate, api, visitor, page } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', { ...channelBody(tidegate), models: 'whisper-1,text-embedding-3-small,gpt-4o-mini,never-priced' });
    const [token] = (await api.post('/api/token/', { name: 'first-token', remain_quota: 2_500_000, expired_time: -1 })) as {
      key: string;
    }[];
    const key = `sk-${token?.key}`;
    await page.goto('/first-call');
    await page.getByText(text('guide.arrival.waiting')).waitFor();

    expect(await ask(tidegate, key.slice(0, -1))).toBe(401);
    await page.getByText(text('guide.cause.key_cut_one', { tail: key.slice(-4, -1), own: key.slice(-4) })).waitFor();
    await page.getByText(text('guide.gate.key_not')).waitFor();
    await expectSoundScreen(visitor);

    expect(await ask(tidegate, key, 'never-priced')).toBe(403);
    await page.getByText(text('guide.cause.price', { model: 'never-priced' })).waitFor();
    const door = page.getByRole('link', { name: text('guide.door.settings') });
    expect(await door.getAttribute('href')).toBe('/setting?field=ModelRatio');
    await door.click();
    await page.locator('button:focus[aria-expanded=true]', { hasText: text('settings.option.ModelRatio.label') }).waitFor();
    await page.goBack();
    await page.getByText(text('guide.cause.price', { model: 'never-priced' })).waitFor();

    expect(await ask(tidegate, key, 'no-such-model')).toBe(404);
    await page.getByText(text('guide.cause.model_unknown', { model: 'no-such-model' })).waitFor();
    await page.getByText(text('guide.gate.channel_unasked')).waitFor();
    // What is called most simply comes first; every kind has code of its own.
    const choice = page.getByLabel(text('guide.call.model'));
    expect(await choice.locator('option').allTextContents()).toEqual(['gpt-4o-mini', 'text-embedding-3-small', 'whisper-1']);
    await choice.selectOption('text-embedding-3-small');
    expect(await page.getByRole('region', { name: 'curl' }).textContent()).toContain('/v1/embeddings');
    await choice.selectOption('gpt-4o-mini');

    tidegate.upstream.queue({
      status: 401,
      error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    await ask(tidegate, key);
    await page.getByText(text('guide.cause.provider_key', { channel: 'Harbour mouth', status: 401 })).waitFor();
    await page.getByText('Incorrect API key provided').waitFor();

    await page.getByRole('button', { name: text('guide.arrival.send') }).click();
    await page.getByRole('heading', { name: text('guide.arrival.done') }).waitFor();
    await expectSoundScreen(visitor);
  });

  it.each(lookInTurn(['phone', 'desk'] as const))('on a %s: a program is set up from a token, and its first call is seen', async (size) => {
    const { tidegate, api } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', channelBody(tidegate));
    const [older] = (await api.post('/api/token/', { name: 'older', remain_quota: 2_500_000, expired_time: -1 })) as { key: string }[];
    const [token] = (await api.post('/api/token/', { name: 'agents', remain_quota: 2_500_000, expired_time: -1 })) as { key: string }[];
    const key = `sk-${token?.key}`;
    // It says nothing about a program that is set up later.
    expect(await ask(tidegate, key)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const visitor = await createVisitor(tidegate.url, { size });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/token');
    if (size === 'phone') {
      await page.locator('[data-row-key]', { hasText: 'agents' }).click();
      await panelOf(page, size)
        .getByRole('link', { name: text('tokens.action.connect'), exact: true })
        .click();
    } else await page.getByRole('link', { name: text('tokens.action.connect_named', { name: 'agents' }) }).click();
    await page.getByText(text('guide.arrival.waiting')).waitFor();
    await page.getByRole('region', { name: 'Claude Code', exact: true }).getByText('ANTHROPIC_AUTH_TOKEN').waitFor();
    await expectSoundScreen(visitor);
    await page.getByLabel(text('guide.snippet.client')).selectOption('Codex');
    const code = page.getByRole('region', { name: 'Codex', exact: true });
    await code.getByText('wire_api=responses').waitFor();
    expect(await code.innerText()).toContain(`${tidegate.url}/v1`);
    expect(await code.innerText()).not.toContain(key);
    await page.getByRole('button', { name: text('guide.snippet.show') }).click();
    expect(await code.innerText()).toContain(key);
    await page.getByRole('region', { name: 'Codex, ~/.codex/config.toml', exact: true }).waitFor();
    await expectSoundScreen(visitor);

    // Another program of the same user calls all day. A state requested after that would contain its call, if it counted.
    expect(await ask(tidegate, `sk-${older?.key}`)).toBe(200);
    const reported = () => page.waitForResponse((answer) => answer.url().includes('/api/first-call?'));
    await reported();
    await reported();
    await page.getByText(text('guide.arrival.waiting')).waitFor();
    expect(await ask(tidegate, key)).toBe(200);
    await page.getByRole('heading', { name: text('guide.arrival.done') }).waitFor();
    await expectSoundScreen(visitor);
    if (process.env['SHOTS'] !== undefined) await page.screenshot({ path: `${process.env['SHOTS']}/set-up-${size}.png`, fullPage: true });
    await visitor.context.close();
  });

  it('is as wide as a phone while it waits, when a call is refused and when one has arrived', async () => {
    const { tidegate, api } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', channelBody(tidegate));
    await api.post('/api/token/', { name: 'first-token', remain_quota: 2_500_000, expired_time: -1 });
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor);
    const { page } = visitor;
    await page.goto('/first-call');
    await page.getByText(text('guide.arrival.waiting')).waitFor();
    await page.getByText(text('guide.trouble.title')).waitFor();
    await expectSoundScreen(visitor);

    tidegate.upstream.queue({
      status: 401,
      error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    await page.getByRole('button', { name: text('guide.arrival.send') }).click();
    await page.getByText(text('guide.cause.provider_key', { channel: 'Harbour mouth', status: 401 })).waitFor();
    await page.getByText(text('guide.trouble.title')).waitFor();
    visitor.complaints.length = 0;
    await expectSoundScreen(visitor);

    await page.getByRole('button', { name: text('guide.arrival.send') }).click();
    await page.getByRole('heading', { name: text('guide.arrival.done') }).waitFor();
    await expectSoundScreen(visitor);
  });

  it('asks once whether failing channels may be disabled: no is an answer too', async () => {
    const { tidegate, api, visitor, page } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', channelBody(tidegate));
    const [token] = (await api.post('/api/token/', { name: 'first-token', remain_quota: 2_500_000, expired_time: -1 })) as {
      key: string;
    }[];
    expect(await ask(tidegate, `sk-${token?.key}`)).toBe(200);
    await page.goto('/first-call');
    const question = page.getByText(text('guide.next.auto_disable'), { exact: true });
    await question.waitFor();
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: text('guide.next.auto_disable_no'), exact: true }).click();
    await question.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText(text('guide.next.title'), { exact: true }).waitFor();
    await settle(page);
    expect(await question.count()).toBe(0);
    const options = (await api.get('/api/option/')) as { key: string; value: string }[];
    expect(options.find(({ key }) => key === 'AutomaticDisableChannelEnabled')?.value).toBe('false');
  });

  it('knows an enabled channel behind a page of newer ones that are disabled', async () => {
    const { tidegate, api, page } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', { ...channelBody(tidegate), name: 'the old one' });
    const keys = Array.from({ length: 101 }, (_, index) => `key-${index}`).join('\n');
    await api.post('/api/channel/', { ...channelBody(tidegate), name: 'retired', key: keys, status: 2 });
    await page.goto('/first-call');
    await page.getByText('the old one').waitFor();
    expect(await page.getByText(text('guide.channel.none_enabled')).count()).toBe(0);
  });

  it('names what a token lacks instead of greying its button out', async () => {
    const { tidegate, api, visitor, page } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', channelBody(tidegate));
    await page.goto('/first-call');
    await page.getByLabel(text('guide.token.quota_label')).fill('');
    await page.getByText(text('guide.token.quota_missing')).waitFor();
    const create = page.getByRole('button', { name: text('guide.token.create') });
    expect(await create.isEnabled()).toBe(true);
    await create.click();
    await expectSoundScreen(visitor);
    expect(await api.get('/api/token/')).toEqual([]);
  });

  it('tells who has no credit whom to ask, and shows no code for a call that would be refused', async () => {
    const { tidegate, api } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', channelBody(tidegate));
    await api.post('/api/user/', { username: 'keeper', password: 'another-lantern', display_name: 'Keeper' });
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor, { username: 'keeper', password: 'another-lantern' });
    const { page } = visitor;
    for (const path of ['/', '/token', '/first-call']) {
      await page.goto(path);
      await page.getByText(text('shell.credit.ask')).waitFor();
      expect(await page.getByRole('link', { name: text('home.today.open_guide') }).count()).toBe(0);
      expect(await page.getByRole('region', { name: 'curl' }).count()).toBe(0);
      await expectSoundScreen(visitor);
    }
    await api.put('/api/option/', { key: 'TopUpLink', value: 'https://shop.example/credit' });
    await page.goto('/');
    await page.evaluate(() => localStorage.removeItem('status'));
    await page.reload();
    // The wallet has the link, next to every other way.
    await page.getByRole('link', { name: text('shell.credit.top_up_link') }).click();
    expect(await page.getByRole('link', { name: text('wallet.redeem.get') }).getAttribute('href')).toBe('https://shop.example/credit');
  });
});

describeInBrowser('the form of a channel', () => {
  it('is not saved when the test fails, unless that is meant', async () => {
    const { tidegate, api, visitor, page } = await setStage();
    await using _server = tidegate;
    await page.goto('/channel/add');
    const panel = panelOf(page, 'desk');
    await panel.getByLabel(text('channel.field.name'), { exact: true }).fill('Harbour mouth');
    await panel.getByLabel(text('channel.base_url.optional')).fill(tidegate.upstream.url);
    await panel.getByLabel(text('channel.field.key'), { exact: true }).fill('upstream-key');
    await settle(page);
    tidegate.upstream.behave({
      status: 401,
      error: { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' },
    });
    await panel.getByRole('button', { name: text('channel.editor.create'), exact: true }).click();
    await panel.getByText(/Incorrect API key provided/).waitFor();
    expect(await api.get('/api/channel/')).toEqual([]);
    await panel.getByRole('button', { name: text('channel.draft.anyway') }).click();
    await page.getByRole('row').filter({ hasText: 'Harbour mouth' }).waitFor();
    expect(await api.get('/api/channel/')).toMatchObject([{ name: 'Harbour mouth' }]);
    await expectSoundScreen(visitor);
  });

  it('closed during its test creates nothing', async () => {
    const { tidegate, api, page } = await setStage();
    await using _server = tidegate;
    await page.goto('/channel/add');
    const panel = panelOf(page, 'desk');
    await panel.getByLabel(text('channel.field.name'), { exact: true }).fill('Harbour mouth');
    await panel.getByLabel(text('channel.base_url.optional')).fill(tidegate.upstream.url);
    await panel.getByLabel(text('channel.field.key'), { exact: true }).fill('upstream-key');
    await settle(page);
    tidegate.upstream.behave({ firstByteDelay: 1_000 });
    await panel.getByRole('button', { name: text('channel.editor.create'), exact: true }).click();
    const requested = await tidegate.upstream.request(0);
    await panel.getByRole('button', { name: text('common.action.cancel'), exact: true }).click();
    await page.getByRole('button', { name: text('common.unsaved.leave'), exact: true }).click();
    await page.waitForURL('**/channel');
    expect(await requested.closed).toBe('complete');
    await settle(page);
    expect(await api.get('/api/channel/')).toEqual([]);
  });
});

describeInBrowser('a number in the list of channels', () => {
  it('is shown whole, whatever its length', async () => {
    const { tidegate, api, page } = await setStage();
    await using _server = tidegate;
    await api.post('/api/channel/', { ...channelBody(tidegate), weight: 1_000_000, priority: 1_000_000 });
    await page.goto('/channel');
    for (const name of ['weight', 'priority'] as const) {
      const field = page.getByLabel(text(`channels.inline.${name}`, { name: 'Harbour mouth' }));
      await field.waitFor();
      expect(await field.textContent()).toBe('1,000,000');
      expect(await field.evaluate((button) => button.scrollWidth - button.clientWidth)).toBe(0);
      await field.click();
      expect(await field.inputValue()).toBe('1,000,000');
      const hidden = await field.evaluate((input) => input.scrollWidth - input.clientWidth);
      expect(hidden).toBe(0);
    }
  });
});
