// Pictures, speech, transcripts and videos in the playground: made, shown, stored on the device, and charged as the log says.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { receivedText, waveOf } from '#tests/support/audio-responses.ts';
import { type FakeVideos, soraServing, startFakeVideos } from '#tests/support/fake-videos.ts';
import { createVisitor, describeInBrowser, type VisitorOptions } from './support/browser.ts';
import { channelBody, furnish } from './support/furnish.ts';
import { lookInTurn } from './support/in-turn.ts';
import { changeTask } from './support/seed-tasks.ts';
import { text } from './support/texts.ts';
import { startTidegate, type Tidegate } from './support/tidegate.ts';
import { expectSoundScreen, settle, signIn } from './support/visit.ts';

describeInBrowser('pictures and sound in the playground', () => {
  let tidegate: Tidegate;
  let videos: FakeVideos;
  let folder: string;
  let database: string;
  const sora = soraServing();
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tidegate-media-'));
    database = `file:${path.join(folder, 'tidegate.db')}`;
    tidegate = await startTidegate({ env: { DATABASE_URL: database } });
    videos = await startFakeVideos(sora.serving);
    const { api } = await furnish(tidegate);
    await api.post('/api/channel/', {
      type: 55,
      name: 'Films',
      key: 'sk-films',
      base_url: videos.url,
      models: 'sora-2',
      groups: ['default'],
    });
    await api.put('/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await api.post('/api/channel/', {
      ...channelBody(tidegate),
      name: 'Studio',
      models: 'dall-e-3,gpt-image-1,tts-1,whisper-1,gpt-4o-audio-preview',
    });
  });
  afterAll(async () => {
    await tidegate.close();
    await videos[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(lookInTurn(['phone', 'desk'] as const))('on a %s: each kind of model is asked for what it makes', async (size) => {
    const visitor = await createVisitor(tidegate.url, { size });
    const { page } = visitor;
    await signIn(visitor);
    await page.goto('/playground');
    await settle(page);

    await choose(page, 'dall-e-3');
    await page.getByText(text('playground.greet.picture')).waitFor();
    await fill(page, 'picture', 'The harbour at low tide');
    await page.getByText(/^From your balance: .*\d/).waitFor();
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
    await page.getByText(receivedText).waitFor();
    await charged(page);
    await expectSoundScreen(visitor);

    await page.reload();
    await settle(page);
    await page.getByText(receivedText).waitFor();
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
    const requested = JSON.stringify(tidegate.upstream.requests.at(-1)?.body);
    for (const part of ['High water at noon', '"filename":"chart of the harbour.pdf"', '"format":"wav"', 'Sum it up'])
      expect(requested).toContain(part);
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
        const [tone, received] = [context.createOscillator(), context.createMediaStreamDestination()];
        tone.connect(received);
        tone.start();
        return Promise.resolve(received.stream);
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
    await page.getByText(receivedText).waitFor();
    await charged(page);
    expect(tidegate.upstream.requests.at(-1)?.files.map(({ type }) => type)).toEqual(['audio/webm']);
    await visitor.context.close();
  });

  it.each(lookInTurn(filmLooks))(
    'a video is ordered at the price that is told, found again after a reload, played; $size, $scheme, $language',
    async (look) => {
      const visitor = await createVisitor(tidegate.url, look);
      const { page, context } = visitor;
      const say = (key: string, values: object = {}) => text(key, values as Record<string, string>, look.language);
      const shoot = async (name: string) => {
        if (shots !== undefined) await page.screenshot({ path: `${shots}/${look.size}-${look.scheme}-${look.language}-${name}.png` });
      };
      const last = () => page.getByRole('article').last();
      const order = async (words: string) => {
        await page.getByRole('textbox', { name: say('playground.label.video'), exact: true }).fill(words);
        await page.getByText(/0\.4/).last().waitFor();
        await page.getByRole('button', { name: say('playground.send.video'), exact: true }).click();
        await last().getByText(say('playground.video.queued')).waitFor();
        return sora.taken.length;
      };
      await signIn(visitor);
      await page.goto('/playground');
      await settle(page);
      await choose(page, 'sora-2', look.language);
      await page.getByText(say('playground.greet.video')).waitFor();
      await page.locator('input[type=file]').setInputFiles({ name: 'harbour.png', mimeType: 'image/png', buffer: await page.screenshot() });
      await page.getByRole('img', { name: 'harbour.png' }).waitFor();
      await shoot('before');
      await order('The harbour at low tide');
      expect(videos.visits.find(({ method }) => method === 'POST')?.text).toMatch(
        /name="input_reference"; filename="harbour\.(?:png|jpg)"/,
      );
      await expectSoundScreen(visitor);
      await shoot('ordered');

      await page.reload();
      await settle(page);
      await last().getByText(say('playground.video.queued')).waitFor();
      const film = await recordFilm(page);
      videos.serve(({ path: requested }) => (requested.endsWith('/content') ? { bytes: film, type: 'video/webm' } : undefined));
      const done = { status: 'SUCCESS', progress: '100%', finish_time: Date.now() } as const;
      await changeTask(database, (await tasksOf(page))[0] ?? 0, { ...done, fail_reason: '' });
      const player = last().locator('video');
      await player.waitFor();
      await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.videoWidth), { timeout: 60_000 }).toBe(64);
      const link = last().getByRole('link', { name: say('playground.video.download') });
      expect([await link.getAttribute('download'), await link.getAttribute('href')]).toEqual([
        'sora-2.mp4',
        await player.getAttribute('src'),
      ]);
      await last()
        .getByRole('link', { name: say('playground.answer.receipt') })
        .waitFor();
      await expectSoundScreen(visitor);
      await shoot('done');

      await order('Something else');
      const failed = { status: 'FAILURE', fail_reason: 'Rejected by the safety system', quota: 200_000, refunded_quota: 200_000 } as const;
      await changeTask(database, (await tasksOf(page))[0] ?? 0, { ...done, ...failed });
      await last().getByRole('alert').getByText('Rejected by the safety system').waitFor();
      await last().getByText(/0\.4/).first().waitFor();
      await shoot('failed');
      await context.setOffline(true);
      await page.getByText(say('playground.video.offline')).waitFor();
      await page.getByText(say('playground.offline')).waitFor();
      await shoot('offline');
      await context.close();
    },
  );

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

const shots = process.env['SHOTS'];
const filmLooks: Required<VisitorOptions>[] = [
  { size: 'phone', scheme: 'light', language: 'zh' },
  { size: 'desk', scheme: 'dark', language: 'zh' },
  { size: 'phone', scheme: 'dark', language: 'en' },
  { size: 'desk', scheme: 'light', language: 'en' },
];

/** Numbers of the own orders, the latest first. */
function tasksOf(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const user = JSON.parse(localStorage.getItem('user') ?? '{}');
    const response = await fetch('/api/task/self?platform=video', { headers: { 'New-Api-User': String(user.id) } });
    return (await response.json()).data.map(({ id }: { id: number }) => id);
  });
}

/** A video that browsers of any kind play: some pictures of a canvas. */
async function recordFilm(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 36 });
    const drawing = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm;codecs=vp8' });
    const parts: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve));
    recorder.start();
    for (let hue = 0; hue < 12; hue += 1) {
      if (drawing !== null) drawing.fillStyle = `hsl(${hue * 30} 80% 50%)`;
      drawing?.fillRect(0, 0, 64, 36);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    recorder.stop();
    await ended;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  return Buffer.from(base64, 'base64');
}

async function choose(page: Page, model: string, language: 'zh' | 'en' = 'en'): Promise<void> {
  const field = page.getByRole('combobox', { name: text('playground.model.label', {}, language) });
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
