import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Answer } from '#pwa/offline/conversation.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { playground } from './conversations-state.ts';
import { PhoneActions } from './playground-actions.tsx';

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

test('playground on a phone: the menu tells what the answers of both models have cost', async () => {
  screen = drawScreen(<PhoneActions onOpen={() => {}} />);
  screen.press('More');
  await shows(() => expect(document.querySelector('[role=menu]')?.parentElement?.textContent).toMatch(/3 answers · \$?3\.50/));
});
