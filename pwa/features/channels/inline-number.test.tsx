import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { parsePriority } from './channel-summary.ts';
import { InlineNumber } from './inline-number.tsx';

let screen: DrawnScreen;
let saved: number[];
let save: (value: number) => Promise<unknown>;

beforeAll(() => startScreenTexts('channels'));
beforeEach(() => {
  saved = [];
  save = (value) => {
    saved.push(value);
    return Promise.resolve();
  };
});
afterEach(() => screen.leave());

function draw(value: number): void {
  screen = drawScreen(
    <InlineNumber
      label="Priority"
      value={value}
      disabled={false}
      parse={parsePriority}
      problem="not a priority"
      emptyProblem="enter one"
      onSave={(next) => save(next)}
    />,
  );
}
const field = () => screen.field('Priority');
const resting = () => document.querySelector<HTMLButtonElement>('button[aria-label^="Priority"]');
function openField(): void {
  const button = resting();
  if (button !== null) screen.press(button.textContent);
}
function enter(text: string): void {
  openField();
  screen.type('Priority', text);
  field().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
}

describe('inline-number', () => {
  test('shows thousands apart, and reads them so', async () => {
    draw(12_000);
    expect(resting()?.textContent).toBe('12,000');
    openField();
    expect(document.activeElement).toBe(field());
    expect(field().value).toBe('12,000');
    enter('13,500');
    await shows(() => expect(saved).toEqual([13_500]));
  });

  test('a minus is read as it is shown', async () => {
    draw(-5);
    expect(resting()?.textContent).toBe('\u22125');
    enter('\u221212');
    await shows(() => expect(saved).toEqual([-12]));
  });

  test('what is no number is marked, told, and not sent', async () => {
    draw(3);
    enter('3.5');
    expect(field().getAttribute('aria-invalid')).toBe('true');
    await shows(() => expect(screen.text()).toContain('not a priority'));
    expect(saved).toEqual([]);
  });

  test('an empty field asks for a number', async () => {
    draw(3);
    enter(' ');
    await shows(() => expect(screen.text()).toContain('enter one'));
    expect(saved).toEqual([]);
  });

  test('Esc brings the old number back', async () => {
    draw(1200);
    openField();
    screen.type('Priority', '9');
    field().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    await shows(() => expect(resting()?.textContent).toBe('1,200'));
    expect(document.activeElement).toBe(resting());
    expect(saved).toEqual([]);
  });

  test('a number that the server refuses is the old one again', async () => {
    save = () => Promise.reject(new Error('refused'));
    draw(7);
    enter('8');
    await shows(() => expect(resting()?.textContent).toBe('7'));
  });

  test('the same number, written otherwise, is not sent', async () => {
    draw(1200);
    enter('1200');
    await shows(() => expect(resting()?.textContent).toBe('1,200'));
    expect(saved).toEqual([]);
  });
});
