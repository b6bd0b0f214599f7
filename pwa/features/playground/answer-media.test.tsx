import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#pwa/offline/conversation.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { shows } from '#tests/support/shows.ts';
import { AnswerView } from './answer-view.tsx';
import { MediaParameters } from './media-parameters.tsx';
import { emptySettings } from './request-body.ts';

let screen: DrawnScreen;

beforeAll(() => startScreenTexts('playground'));
afterEach(() => screen.leave());

const answer: Answer = {
  model: 'dall-e-3',
  state: 'done',
  text: '',
  reasoning: '',
  tool_calls: [],
  startedAt: 0,
  ms: 900,
  kind: 'picture',
};
const draw = (fields: Partial<Answer>): void => {
  screen = drawScreen(<AnswerView answer={{ ...answer, ...fields }} onAgain={() => {}} onBranch={() => {}} />);
};

describe('an answer that is no text', () => {
  test('pictures have their room before they come', async () => {
    draw({ state: 'running', awaited: { count: 2, ratio: 1.5 } });
    await shows(() => expect(document.querySelectorAll('[style*="aspect-ratio"]')).toHaveLength(2));
    expect(document.querySelector('article')?.getAttribute('aria-busy')).toBe('true');
    expect(screen.text()).toContain('Working');
  });

  test('pictures are shown and downloaded; one that is kept elsewhere is not fetched from there', async () => {
    draw({
      pictures: [{ url: 'data:image/webp;base64,AAAA' }, { url: 'https://img.example/secret.png' }],
      quota: 20_000,
      promptTokens: 3,
      completionTokens: 0,
    });
    await shows(() =>
      expect([...document.querySelectorAll('img')].map(({ alt, src }) => [alt, src])).toEqual([
        ['Picture 1 by dall-e-3', 'data:image/webp;base64,AAAA'],
      ]),
    );
    expect(document.querySelector('a[download]')?.getAttribute('download')).toBe('dall-e-3-1.webp');
    const elsewhere = document.querySelector('a[href="https://img.example/secret.png"]');
    expect(elsewhere?.getAttribute('rel')).toBe('noopener noreferrer');
    // Token counts are irrelevant for a request for a picture.
    expect(screen.text()).not.toContain(' in · ');
  });

  test('speech is played and downloaded', async () => {
    draw({ kind: 'speech', model: 'openai/tts-1', sound: { url: 'data:audio/mpeg;base64,AAAA' } });
    await shows(() => expect(document.querySelector('audio')?.getAttribute('src')).toBe('data:audio/mpeg;base64,AAAA'));
    expect(document.querySelector('a[download]')?.getAttribute('download')).toBe('openai-tts-1.mp3');
  });

  const video = { id: 'video_1', size: '1080x1920', seconds: 8, task: 7 };
  test('a video is played from the list of tasks and downloaded; what it costs stands beside it', async () => {
    draw({ kind: 'video', model: 'openai/sora-2', video, quota: 400_000 });
    await shows(() => expect(document.querySelector('video')?.getAttribute('src')).toBe('/pg/tasks/7/content'));
    const link = document.querySelector('a[download]');
    expect([link?.getAttribute('href'), link?.getAttribute('download')]).toEqual(['/pg/tasks/7/content', 'openai-sora-2.mp4']);
    expect(screen.text()).toContain('1080 × 1920, 8 seconds');
    expect(screen.text()).toContain('0.8');
    screen.leave();
    draw({ kind: 'video', state: 'running', video: { ...video, progress: 40 }, quota: 400_000, awaited: { count: 1, ratio: 9 / 16 } });
    await shows(() => expect(screen.text()).toContain('40 % made'));
    expect(document.querySelector('video')).toBeNull();
  });

  test('a video that failed says why, and what came back', async () => {
    draw({ kind: 'video', state: 'failed', problem: 'Rejected', video: { ...video, refunded: 400_000 }, quota: 400_000 });
    await shows(() => expect(screen.text()).toContain('Given back: 0.8'));
    expect(document.querySelector('[role=alert]')?.textContent).toBe('Rejected');
    screen.leave();
    draw({ kind: 'video', state: 'failed', problem: 'Rejected', video, quota: 400_000 });
    await shows(() => expect(screen.text()).toContain('on its way back'));
  });

  test('a transcript is the words as they were said, and can be copied', () => {
    draw({ kind: 'transcript', model: 'whisper-1', text: '# not a heading' });
    expect(document.querySelector('h1')).toBeNull();
    expect(screen.text()).toContain('# not a heading');
    expect(screen.button('Copy the answer')).toBeTruthy();
  });

  test('what went wrong stands where the picture would be', () => {
    draw({ state: 'failed', problem: 'Rejected by the safety system' });
    expect(document.querySelector('[role=alert]')?.textContent).toBe('Rejected by the safety system');
    expect(screen.button('Answer again')).toBeTruthy();
  });
});

test('of a model is offered what it takes', () => {
  const kinds = [
    ['picture', 'dall-e-3', ['Size', 'Quality'], ['How many']],
    ['picture', 'gpt-image-1', ['Size', 'Quality', 'How many'], []],
    ['picture', 'flux-dev', ['Size', 'How many'], ['Quality']],
    ['speech', 'tts-1', ['Voice', 'Speed'], ['Size']],
    ['video', 'sora-2', ['Size', 'Seconds', '12'], ['Quality', 'Voice']],
    ['video', 'doubao-seedance-2-0-260128', ['Size', 'Seconds'], ['Quality']],
    ['transcript', 'whisper-1', ['Language', 'Into English'], ['Voice']],
    ['transcript', 'gpt-4o-transcribe', ['Language'], ['Into English']],
  ] as const;
  for (const [kind, model, shown, missing] of kinds) {
    screen = drawScreen(<MediaParameters kind={kind} model={model} settings={emptySettings} />);
    for (const label of shown) expect(screen.text(), `${model} ${label}`).toContain(label);
    for (const label of missing) expect(screen.text(), `${model} ${label}`).not.toContain(label);
    screen.leave();
  }
  screen = drawScreen(null);
});
