import { afterEach, beforeAll, expect, test } from 'vitest';
import { buildConsoleToken } from '#tests/support/console-records.ts';
import { type DrawnScreen, drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { BulkActions } from './bulk-actions.tsx';

let screen: DrawnScreen;

beforeAll(() => startScreenTexts('tokens', 'editing'));
afterEach(() => screen.leave());

function open(managed: string | undefined): void {
  const tokens = [buildConsoleToken(), buildConsoleToken({ id: 6, ...(managed === undefined ? {} : { managed_by: managed }) })];
  screen = drawScreen(<BulkActions tokens={tokens} isBusy={false} onEdit={() => {}} onRemove={() => {}} />);
}

test('ticked tokens are neither edited nor deleted if a file manages one of them, and the reason is named', () => {
  open('tokens.yaml');
  for (const name of ['Edit', 'Delete']) expect(screen.button(name).disabled).toBe(true);
  expect(screen.text()).toContain('1 is managed by a file');
  screen.leave();
  open(undefined);
  for (const name of ['Edit', 'Delete']) expect(screen.button(name).disabled).toBe(false);
});
