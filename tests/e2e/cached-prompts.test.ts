// What came from a provider's cache, as people read it: on the receipt of a call what that saved, in the row of a channel its share.
import { it } from 'vitest';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { chat, furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { lookInTurn } from './support/in-turn.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const usage = { prompt_tokens: 8000, completion_tokens: 40, total_tokens: 8040, prompt_tokens_details: { cached_tokens: 6000 } };

const looks = [
  { size: 'phone', language: 'zh' },
  { size: 'desk', language: 'en' },
  { size: 'phone', language: 'en' },
  { size: 'desk', language: 'zh' },
] as const;

describeInBrowser('cached prompts', () => {
  for (const { size, language } of lookInTurn(looks)) {
    it(`${size}, ${language}: a receipt says what the cache saved, and a channel how much came from it`, async () => {
      await using tidegate = await startTidegate();
      const { api, key } = await furnish(tidegate);
      tidegate.upstream.behave({ text: 'At noon.', usage });
      for (const stream of [false, true, true]) await chat(tidegate.url, key, { stream });
      const { items } = (await api.get('/api/log/self?type=2')) as { items: { id: number }[] };
      const visitor = await createVisitor(tidegate.url, { size, language });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto(`/log?open=${items[0]?.id}`);
      const panel = panelOf(page, size);
      await panel
        .getByText(text('common.receipt.charged', {}, language))
        .first()
        .waitFor();
      // A token from the cache costs half of one that is not: 6,000 × 0.075 / 1,000,000 less.
      const saved = text('receipt.cache_saved', { amount: '$0.00045', share: '75.0%' }, language);
      await panel.getByText(saved, { exact: true }).waitFor();
      await expectSoundScreen(visitor);
      await page.goto('/channel');
      await settle(page);
      // Three calls with, and three short ones without.
      const row = page.getByRole(size === 'phone' ? 'listitem' : 'row').filter({ hasText: 'Harbour mouth' });
      const share = size === 'phone' ? text('channels.figures.cached', { share: '74.8%' }, language) : '74.8';
      await row.getByText(share).waitFor();
      await expectSoundScreen(visitor);
      await visitor.context.close();
    });
  }
});
