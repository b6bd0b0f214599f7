import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';

import { entriesOf, pages } from './pages.ts';
import { SettingField } from './setting-field.tsx';

let screen: DrawnScreen;
let typed: string[];
const began = location.href;

beforeAll(() => startScreenTexts('settings'));
afterEach(() => screen.leave());
afterAll(() => visit(began));

function visit(address: string): void {
  window.happyDOM?.setURL(address);
}

interface Given {
  address?: string;
  value?: string;
  draft?: string;
  mayWrite?: boolean;
  managedBy?: string;
}

function open({
  address = 'https://tide.example:8443/setting?tab=server',
  value = '',
  draft,
  mayWrite = true,
  managedBy,
}: Given = {}): void {
  visit(address);
  typed = [];
  const option = { key: 'ServerAddress', value, revision: 1, ...(managedBy === undefined ? {} : { managed_by: managedBy }) };
  const entry = pages.flatMap(entriesOf).find(({ key }) => key === option.key);
  if (entry === undefined) throw new Error('There is no such setting');
  screen = drawScreen(
    <SettingField
      entry={entry}
      option={option}
      draft={draft === undefined ? undefined : { text: draft, base: { value, revision: 1 } }}
      isWanted={false}
      problem={undefined}
      queued={undefined}
      theirs={undefined}
      mayWrite={mayWrite}
      onType={(text) => typed.push(text)}
      onDrop={() => {}}
      onResolve={() => {}}
    />,
  );
}
const offer = 'Use this address';

describe('setting-field: the address of the site', () => {
  test('of a file: the field is closed and says in which file it is changed', async () => {
    open({ mayWrite: false, managedBy: 'gateway/site.yaml', value: 'https://tide.example' });
    await shows(() => expect(screen.text()).toContain('Managed by the file gateway/site.yaml.'));
    expect(screen.text()).not.toContain('super administrator');
  });

  test('while it is empty, the address of this page is offered; one press types it', async () => {
    open();
    await shows(() => expect(screen.text()).toContain('You are using https://tide.example:8443 now.'));
    screen.press(offer);
    expect(typed).toEqual(['https://tide.example:8443']);
  });

  test.each(['http://localhost:3000/', 'http://127.0.0.1:3000/', 'http://127.1.2.3/', 'http://[::1]:3000/'])(
    'not on %s, where nobody else reaches it',
    async (address) => {
      open({ address });
      await shows(() => expect(screen.text()).toContain('Server address'));
      expect(screen.text()).not.toContain(offer);
    },
  );

  test('not once it is set or typed, nor to who may not change it', async () => {
    for (const given of [{ value: 'https://tide.example' }, { draft: 'https://ti' }, { mayWrite: false }]) {
      open(given);
      await shows(() => expect(screen.text()).toContain('Server address'));
      expect(screen.text(), JSON.stringify(given)).not.toContain(offer);
      screen.leave();
    }
    open();
    await shows(() => expect(screen.text()).toContain(offer));
  });
});
