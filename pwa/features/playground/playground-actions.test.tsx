import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer } from '#pwa/offline/conversation.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { playground } from './conversations-state.ts';
import { PhoneActions } from './phone-actions.tsx';
import { Actions } from './playground-actions.tsx';
import { Greeting } from './greeting.tsx';

let screen: DrawnScreen;

beforeAll(() => startScreenTexts('playground'));
beforeEach(() => {
  const answer = (model: string, quota?: number): Answer => {
    const given: Answer = { model, state: 'done', text: 'Yes', reasoning: '', tool_calls: [], startedAt: 0 };
    return quota === undefined ? given : { ...given, quota };
  };
  const turn = { text: 'Is it?', pictures: [], at: 0 };
  const { open } = playground.get();
  playground.set({
    ...playground.get(),
    open: {
      ...open,
      models: ['gpt-4o', 'claude'],
      turns: [
        { ...turn, id: 'a', answers: [answer('gpt-4o', 500_000), null] },
        { ...turn, id: 'b', answers: [answer('gpt-4o', 250_000), answer('claude', 1_000_000)] },
        { ...turn, id: 'c', answers: [answer('gpt-4o'), null] },
      ],
    },
  });
});
afterEach(() => screen.leave());

/** But for those of toasts, which may be of a test before. */
const buttons = () => [...document.querySelectorAll('button')].filter((button) => button.closest('[role=status]') === null);

test('playground on a phone: the menu tells what the answers of both models have cost', async () => {
  screen = drawScreen(<PhoneActions onOpen={() => {}} />);
  screen.press('More');
  await shows(() => expect(document.querySelector('[role=menu]')?.parentElement?.textContent).toMatch(/3 answers · \$?3\.50/));
});

test('playground: where there is room the actions are named, elsewhere they are icons with the same names', () => {
  const drawn = (isWide: boolean) => {
    screen = drawScreen(<Actions isWide={isWide} isRunning={false} offered={['gpt-4o', 'claude']} onOpen={() => {}} />);
    return buttons().map((button) => [button.getAttribute('aria-label'), button.textContent]);
  };
  const wide = drawn(true);
  expect(wide.map(([, text]) => text)).toEqual(['Conversations', 'Side by side', 'Export as code', 'New conversation']);
  screen.leave();
  const narrow = drawn(false);
  expect(narrow.filter(([, text]) => text === '').map(([name]) => name)).toEqual(wide.map(([name]) => name));
});

test('playground: a new conversation offers questions, which are written and not sent', () => {
  const chosen: string[] = [];
  screen = drawScreen(<Greeting kind="chat" canAsk onExample={(text) => chosen.push(text)} />);
  screen.press('Draft a polite reply that declines a meeting');
  expect(chosen).toEqual(['Draft a polite reply that declines a meeting']);
  screen.leave();
  // A model of pictures has other examples.
  screen = drawScreen(<Greeting kind="picture" canAsk onExample={() => {}} />);
  expect(buttons()).toHaveLength(0);
});
