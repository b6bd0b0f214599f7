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
    await api.put('/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await api.post('/api/channel/', {
      ...channelBody(tidegate),
      name: 'Studio',
      models: 'dall-e-3,gpt-image-1,tts-1,whisper-1,gpt-4o-audio-preview',
    });
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

  it('a text, a document and a sound go along with a question, and come again with the next', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);
    const input = page.locator('input[type=file]');
    await choose(page, 'gpt-4o-mini');
    await input.setInputFiles({ name: 'tide.wav', mimeType: 'audio/wav', buffer: waveOf(1) });
    await page.getByText(text('playground.ask.deaf')).waitFor();
    await choose(page, 'gpt-4o-audio-preview');
    await input.setInputFiles([
      { name: 'notes.md', mimeType: 'text/markdown', buffer: Buffer.from('# High water at noon') },
      { name: 'chart of the harbour.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
      { name: 'tide.wav', mimeType: 'audio/wav', buffer: waveOf(1) },
    ]);
    const files = page.getByRole('list', { name: text('playground.ask.files') });
    await files.getByText('tide.wav').waitFor();
    await expectSoundScreen(visitor);
    await page.getByRole('textbox', { name: text('playground.ask.label'), exact: true }).fill('Sum it up');
    await page.getByRole('button', { name: text('playground.ask.send'), exact: true }).click();
    await charged(page);
    const asked = JSON.stringify(tidegate.upstream.requests.at(-1)?.body);
    for (const part of ['High water at noon', '"filename":"chart of the harbour.pdf"', '"format":"wav"', 'Sum it up'])
      expect(asked).toContain(part);
    await page.reload();
    await settle(page);
    await files.getByText('notes.md').waitFor();
    await visitor.context.close();
  });

  it('a picture is shown while it is made, and changes where it was painted on', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);
    await choose(page, 'gpt-image-1');
    await page.locator('input[type=file]').setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: await page.screenshot() });
    await page.getByRole('button', { name: text('playground.mask.open') }).click();
    const canvas = page.getByRole('application', { name: text('playground.mask.canvas') });
    await canvas.focus();
    for (const key of ['ArrowLeft', 'ArrowLeft', ' ', 'ArrowRight', ' ']) await page.keyboard.press(key);
    await canvas.click({ position: { x: 20, y: 20 } });
    await expectSoundScreen(visitor);
    await page.getByRole('button', { name: text('playground.mask.done') }).click();
    await page.getByRole('button', { name: text('playground.mask.again') }).waitFor();
    await page.getByRole('button', { name: text('playground.parameter.title'), exact: true }).click();
    await page.getByRole('switch', { name: text('playground.parameter.previewed') }).click();
    await page.keyboard.press('Escape');
    await fill(page, 'picture', 'A lighthouse instead');
    await send(page, 'picture');
    await charged(page);
    await page
      .getByRole('article')
      .last()
      .getByRole('img', { name: text('playground.picture.alt', { number: 1, model: 'gpt-image-1' }) })
      .waitFor();
    const { body, files } = tidegate.upstream.requests.at(-1) ?? {};
    expect(body).toMatchObject({ stream: 'true', partial_images: '2' });
    expect(files?.map(({ name, type }) => [name, type])).toEqual([
      ['mask', 'image/png'],
      ['image', 'image/png'],
    ]);
    await visitor.context.close();
  });

  it('what is said into the microphone is written down; a page that may not hear says so', async () => {
    const visitor = await createVisitor(tidegate.url, { size: 'phone' });
    const { page } = visitor;
    // The browser of these tests has no devices: a tone stands in for the microphone, the rest is its own.
    await page.addInitScript(() => {
      const getUserMedia = (): Promise<MediaStream> => {
        if (sessionStorage.getItem('may hear') === null) return Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
        const context = new AudioContext();
        const [tone, heard] = [context.createOscillator(), context.createMediaStreamDestination()];
        tone.connect(heard);
        tone.start();
        return Promise.resolve(heard.stream);
      };
      Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia } });
    });
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);
    await choose(page, 'whisper-1');
    await page.getByRole('button', { name: text('playground.sound.record') }).click();
    await page.getByText(text('playground.sound.microphone.refused')).waitFor();
    await page.evaluate(() => sessionStorage.setItem('may hear', 'yes'));
    await page.getByRole('button', { name: text('playground.sound.record') }).click();
    await page.getByRole('button', { name: text('playground.sound.end', { time: '1.0 s' }) }).click();
    await page.getByText('recording.webm').waitFor();
    await send(page, 'transcript');
    await page.getByText(heardText).waitFor();
    await charged(page);
    expect(tidegate.upstream.requests.at(-1)?.files.map(({ type }) => type)).toEqual(['audio/webm']);
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
