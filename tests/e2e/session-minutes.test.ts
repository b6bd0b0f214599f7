// Prices by the minute of a session, as they are edited, listed and charged.
import { expect, it } from 'vitest';
import { startFakeRealtime } from '#tests/support/fake-realtime.ts';
import { connectSocket } from '#tests/support/socket-client.ts';
import { until } from '#tests/support/until.ts';
import { createVisitor, describeInBrowser, type Size } from './support/browser.ts';
import { channelBody, furnish } from './support/furnish.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import { expectSoundScreen, panelOf, settle, signIn } from './support/visit.ts';

const model = 'grok-voice-latest';

describeInBrowser('minutes of sessions', () => {
  it.each(['desk', 'tablet', 'phone'] as const)(
    '%s: the price says that it is by the minute, and a row which part of a session',
    async (size: Size) => {
      await using upstream = await startFakeRealtime();
      await using tidegate = await startTidegate();
      const { api, key } = await furnish(tidegate);
      await api.post('/api/channel/', { ...channelBody(tidegate), type: 48, name: 'Voices', models: model, base_url: upstream.url });
      const connecting = { headers: { authorization: `Bearer ${key}` } };
      using client = await connectSocket(`${tidegate.url.replace(/\/$/, '')}/v1/realtime?model=${model}`, connecting);
      await client.next();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      client[Symbol.dispose]();
      await until(async () => JSON.stringify(await api.get('/api/log/?p=1&page_size=10')).includes(model));

      const visitor = await createVisitor(tidegate.url, { size });
      const { page } = visitor;
      await signIn(visitor);
      await page.goto(`/setting?tab=prices`);
      await settle(page);
      await page.getByPlaceholder(text('prices.search')).fill('grok-voice-l');
      const row = page.locator(`[data-row-key="${model}"]`);
      await row.getByText(text('prices.taken_for.minute')).first().waitFor();
      if (size !== 'desk') {
        await row.getByRole('button', { name: model, exact: true }).click();
        await page.getByRole('dialog').getByText(text('prices.taken_for.minute')).waitFor();
        await expectSoundScreen(visitor);
      }

      await page.goto(`/pricing?q=${model}`);
      await settle(page);
      await page
        .getByText(text('pricing.price_per.minute', { price: '$0.08' }), { exact: true })
        .or(page.getByText(text('pricing.per.minute'), { exact: true }))
        .first()
        // A tablet shows one of the two in the details of a row.
        .waitFor({ state: 'attached' });

      await page.goto(`/log?model_name=${model}`);
      await settle(page);
      await page.getByText(model).first().click();
      const panel = panelOf(page, size);
      await panel.getByText(text('receipt.session_time')).waitFor();
      await panel.getByText(text('receipt.part.session_minute')).first().waitFor();
      expect(await panel.getByText(text('receipt.part.minute'), { exact: true }).count()).toBe(0);
      await visitor.context.close();
    },
  );
});
