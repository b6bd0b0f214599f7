// Pictures, speech and transcripts in the playground: made, shown, kept on the device, and charged as the log says.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { heardText, waveOf } from '#tests/support/audio-responses.ts';
import { createVisitor, describeInBrowser } from './support/browser.ts';
import { channelBody, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { text } from './support/texts.ts';
import { startTidegate } from './support/tidegate.ts';
import type { Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

describeInBrowser('pictures and sound in the playground', () => {
  let tidegate: Tidegate;
  beforeAll(async () => {
    tidegate = await startTidegate();
    const { api } = await furnish(tidegate);
    await api.post('/api/channel/', { ...channelBody(tidegate), name: 'Studio', models: 'dall-e-3,tts-1,whisper-1' });
  });
  afterAll(() => tidegate.close());

  it.each(lookInTurn(['phone', 'desk'] as const))('on a %s: each kind of model is asked for what it makes', async (size) => {
    const visitor = await createVisitor(tidegate.url, { size });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);

    await choose(page, 'dall-e-3');
    await page.getByText(text('playground.greet.picture')).waitFor();
    await fill(page, 'picture', 'The harbour at low tide');
    await page.getByText(/^From your balance: about \d\.\d+ USD$/).waitFor();
    await send(page, 'picture');
    const picture = page.getByRole('article').last().getByRole('img');
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(64);
    await charged(page);
    const download = page
      .getByRole('article')
      .last()
      .getByRole('link', { name: text('playground.picture.download', { number: 1 }) });
    expect(await download.getAttribute('download')).toBe('dall-e-3-1.png');
    await expectSoundScreen(visitor);

    await choose(page, 'tts-1');
    await fill(page, 'speech', 'The tide comes in.');
    await send(page, 'speech');
    const player = page.getByRole('article').last().locator('audio');
    // Browsers have names of their own for it.
    expect((await player.getAttribute('src'))?.slice(0, 11)).toBe('data:audio/');
    await charged(page);

    await choose(page, 'whisper-1');
    await page.locator('input[type=file]').setInputFiles({ name: 'tide.wav', mimeType: 'audio/wav', buffer: waveOf(8) });
    await page.getByText('tide.wav').waitFor();
    await send(page, 'transcript');
    await page.getByText(heardText).waitFor();
    await charged(page);
    await expectSoundScreen(visitor);

    await page.reload();
    await settle(page);
    await page.getByText(heardText).waitFor();
    expect(await page.locator('article img, article audio').count()).toBe(2);
    await visitor.context.close();
  });

  it('what fails says why, and can be asked for again', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);
    await choose(page, 'dall-e-3');
    tidegate.upstream.behave({ status: 400, error: { message: 'Rejected by the safety system', type: 'invalid_request_error' } });
    await fill(page, 'picture', 'Something else');
    await send(page, 'picture');
    await page.getByRole('alert').getByText('Rejected by the safety system').waitFor();
    tidegate.upstream.reset();
    await page.getByRole('button', { name: text('playground.answer.again') }).click();
    await page.getByRole('article').last().getByRole('img').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await visitor.context.close();
  });
});

type Kind = 'picture' | 'speech' | 'transcript';

async function choose(page: Page, model: string): Promise<void> {
  const field = page.getByRole('combobox', { name: text('playground.model.label') });
  await field.click();
  await field.fill(model);
  await page.getByRole('option', { name: model, exact: true }).click();
}

const fill = (page: Page, kind: Kind, words: string) =>
  page.getByRole('textbox', { name: text(`playground.label.${kind}`), exact: true }).fill(words);
const send = (page: Page, kind: Kind) => page.getByRole('button', { name: text(`playground.send.${kind}`), exact: true }).click();

function charged(page: Page): Promise<void> {
  return page
    .getByRole('article')
    .last()
    .getByRole('link', { name: text('playground.answer.receipt') })
    .waitFor();
}
