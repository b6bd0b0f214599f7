// A call has one address: every user who may see it gets its receipt from there, whatever the list next to it shows.
import { expect, it } from 'vitest';
import { createVisitor, describeInBrowser, type Size } from './support/browser.ts';
import { chat, furnish, signInByApi } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

interface Row {
  id: number;
  request_id: string;
}

const sizes: Size[] = ['phone', 'desk'];

describeInBrowser('receipts', () => {
  for (const size of lookInTurn(sizes)) {
    it(`${size}: a recent call on the home page leads to its receipt`, async () => {
      await using tidegate = await startTidegate();
      const { api } = await furnish(tidegate);
      const { items } = (await api.get('/api/log/self?type=2')) as { items: Row[] };
      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/');
      await page
        .getByRole('main')
        .getByRole('link', { name: /gpt-4o-mini/ })
        .first()
        .click();
      const panel = panelOf(page, size);
      await panel.getByText(items[0]?.request_id ?? '', { exact: true }).waitFor();
      await panel.getByText(text('common.receipt.charged')).first().waitFor();
      await expectSoundScreen(visitor);
      await panel.getByRole('link', { name: text('receipt.channel', { id: 1 }) }).click();
      await page.waitForURL('**/channel/edit/1');
      await panelOf(page, size)
        .getByRole('heading', { name: /Harbour mouth/ })
        .waitFor();
      await expectSoundScreen(visitor);
      await visitor.context.close();
    });
  }

  it('desk: a record opens beside the list, and no row of it moves', async () => {
    await using tidegate = await startTidegate();
    await furnish(tidegate);
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/log');
    await settle(page);
    const row = page.getByRole('row').filter({ hasText: 'gpt-4o-mini' }).first();
    const top = async (): Promise<number | undefined> => (await row.boundingBox())?.y;
    const before = await top();
    expect(before).toBeGreaterThan(0);
    await row.click();
    await panelOf(page, 'desk').getByText(text('common.receipt.charged')).first().waitFor();
    expect(await top()).toBe(before);
    // What left the line is behind its button.
    await page.getByRole('button', { name: text('logs.filter.more'), exact: true }).click();
    await page.getByLabel(text('logs.filter.token'), { exact: true }).waitFor();
    await visitor.context.close();
  });

  it('desk: a shared link opens the receipt under filters that leave it out, and closes to the list', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { items } = (await api.get('/api/log/?type=2')) as { items: Row[] };
    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor);
    await page.goto(`/log?model=no-such-model&open=${items[1]?.id}`);
    const panel = panelOf(page, 'desk');
    await panel.getByText(items[1]?.request_id ?? '', { exact: true }).waitFor();
    await page.getByRole('main').getByText(text('common.list.no_match')).waitFor();
    await expectSoundScreen(visitor);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('open')).toBe(false);
    await visitor.context.close();
  });

  it('a row of somebody else stays closed, and says so; his own opens without the channels', async () => {
    await using tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    const { items } = (await api.get('/api/log/?type=2')) as { items: Row[] };
    const keeper = { username: 'keeper', password: 'another-lantern' };
    await api.put('/api/user/', { id: 2, quota_change: 500_000 });
    const own = await signInByApi(tidegate.url, keeper);
    const [token] = (await own.post('/api/token/', { name: 'mine', unlimited_quota: true, expired_time: -1 })) as { key: string }[];
    await chat(tidegate.url, `sk-${token?.key}`, { stream: true });
    const [call] = ((await own.get('/api/log/self?type=2')) as { items: Row[] }).items;

    const visitor = await createVisitor(tidegate.url);
    const { page } = visitor;
    await signIn(visitor, keeper);
    await page.goto(`/log?open=${items[0]?.id}`);
    const panel = panelOf(page, 'desk');
    await panel.getByText(text('receipt.missing')).waitFor();
    await panel.getByText(text('receipt.missing_text')).waitFor();
    expect(await panel.textContent()).not.toContain(items[0]?.request_id);
    await expectSoundScreen(visitor);

    await page.goto(`/log?range=quarter&model=other&open=${call?.id}`);
    await panel.getByText(call?.request_id ?? '', { exact: true }).waitFor();
    expect(await panel.textContent()).not.toContain('Harbour mouth');
    await visitor.context.close();
  });

  it('phone: the home page says of calls that did not end well what the usage logs say, as far as there is room', async () => {
    await using tidegate = await startTidegate();
    const { key } = await furnish(tidegate);
    tidegate.upstream.queue({ status: 400 });
    await expect(chat(tidegate.url, key, { stream: false })).rejects.toThrow('400');
    tidegate.upstream.queue({ text: 'one two three four five six seven', cutAfter: 3 });
    await expect(chat(tidegate.url, key, { stream: true })).rejects.toThrow('did not end properly');
    const leaving = new AbortController();
    tidegate.upstream.queue({ firstByteDelay: Number.POSITIVE_INFINITY });
    const requested = chat(tidegate.url, key, { stream: true, signal: leaving.signal });
    const upstreamCall = await tidegate.upstream.request(tidegate.upstream.requests.length);
    leaving.abort();
    await expect(requested).rejects.toThrow();
    await upstreamCall.closed;
    for (const language of ['zh', 'en'] as const) {
      const visitor = await createVisitor(tidegate.url, { size: 'phone', language });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto('/');
      await settle(page);
      const calls = page.getByRole('main').getByRole('link', { name: /gpt-4o-mini/ });
      // The body of a first screen comes after its frame, which alone is calm, too.
      await calls.nth(3).waitFor();
      const said = (await calls.allTextContents()).slice(0, 4);
      const words = (name: string) => text(`home.recent.${name}`, {}, language);
      expect(said[0]).toContain(words('left'));
      // It was sent, so it is charged.
      expect(said[0]).not.toContain(words('not_charged'));
      expect(said[1]).toContain(words('irregular'));
      expect(said[1]).not.toContain(words('not_charged'));
      expect(said[2]).toContain(words('failed'));
      expect(said[2]).toContain(words('not_charged'));
      for (const name of ['left', 'irregular', 'failed', 'not_charged']) expect(said[3]).not.toContain(words(name));
      await expectSoundScreen(visitor);
      await visitor.context.close();
    }
  });

  it('a call that the upstream refused says so, with the words of the upstream, in both languages', async () => {
    await using tidegate = await startTidegate();
    const { api, key } = await furnish(tidegate);
    const words = 'This model’s maximum context length is 10 tokens.';
    tidegate.upstream.queue({ status: 400, error: { message: words, type: 'invalid_request_error', code: 'context_length_exceeded' } });
    await expect(chat(tidegate.url, key, { stream: false })).rejects.toThrow('400');
    const [row] = ((await api.get('/api/log/?type=2')) as { items: Row[] }).items;
    for (const language of ['zh', 'en'] as const) {
      const visitor = await createVisitor(tidegate.url, { language });
      await signIn(visitor);
      await visitor.page.goto(`/log?open=${row?.id}`);
      await settle(visitor.page);
      const panel = panelOf(visitor.page, 'desk');
      await panel.getByText(words).waitFor();
      const said = await panel.textContent();
      expect(said).toContain(`${text('logs.ending.refused', {}, language)} 400`);
      expect(said).toContain(text('receipt.ending_text.refused', {}, language));
      expect(said).toContain(text('receipt.ending_charge.none', {}, language));
      await visitor.context.close();
    }
  });
});
