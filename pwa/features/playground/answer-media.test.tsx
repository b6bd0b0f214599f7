import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#pwa/offline/conversation.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
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
  test('pictures have their room before they come', () => {
    draw({ state: 'running', awaited: { count: 2, ratio: 1.5 } });
    expect(document.querySelectorAll('[style*="aspect-ratio"]')).toHaveLength(2);
    expect(document.querySelector('article')?.getAttribute('aria-busy')).toBe('true');
    expect(screen.text()).toContain('Working');
  });

  test('pictures are shown and downloaded; one that is kept elsewhere is not fetched from there', () => {
    draw({
      pictures: [{ url: 'data:image/webp;base64,AAAA' }, { url: 'https://img.example/secret.png' }],
      quota: 20_000,
      promptTokens: 3,
      completionTokens: 0,
    });
    expect([...document.querySelectorAll('img')].map(({ alt, src }) => [alt, src])).toEqual([
      ['Picture 1 by dall-e-3', 'data:image/webp;base64,AAAA'],
    ]);
    expect(document.querySelector('a[download]')?.getAttribute('download')).toBe('dall-e-3-1.webp');
    const elsewhere = document.querySelector('a[href="https://img.example/secret.png"]');
    expect(elsewhere?.getAttribute('rel')).toBe('noopener noreferrer');
    // Its tokens say nothing to whoever asked for a picture.
    expect(screen.text()).not.toContain(' in · ');
  });

  test('speech is played and downloaded', () => {
    draw({ kind: 'speech', model: 'openai/tts-1', sound: { url: 'data:audio/mpeg;base64,AAAA' } });
    expect(document.querySelector('audio')?.getAttribute('src')).toBe('data:audio/mpeg;base64,AAAA');
    expect(document.querySelector('a[download]')?.getAttribute('download')).toBe('openai-tts-1.mp3');
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
