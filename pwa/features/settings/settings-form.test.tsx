import 'fake-indexeddb/auto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Option } from '#shared/options.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { pageOfAddress } from './pages.ts';
import { SettingsDiff } from './settings-diff.tsx';
import { SettingsForm } from './settings-form.tsx';
import { type SettingEdits, useSettingEdits } from './use-setting-edits.ts';

const options: readonly Option[] = [
  { key: 'RetryTimes', value: '3', revision: 4 },
  { key: 'ModelRatio', value: '{"a":1,"b":1}', revision: 2 },
];
const page = pageOfAddress(undefined, 'RetryTimes');

let screen: DrawnScreen;
let edits: SettingEdits;

beforeAll(() => startScreenTexts('settings', 'prices', 'editing'));
beforeEach(() => {
  function Form() {
    edits = useSettingEdits(options);
    const shown = { page, search: '', options, at: 0, field: undefined, view: 'json', isReviewing: false } as const;
    return (
      <>
        <SettingsForm {...shown} edits={edits} onView={() => {}} onReview={() => {}} onSave={() => {}} />
        <SettingsDiff edits={edits} options={options} onSave={() => {}} onClose={() => {}} />
      </>
    );
  }
  screen = drawScreen(<Form />);
});
afterEach(() => screen.leave());

describe('settings-form', () => {
  test('the button that saves is filled while there is something to save', async () => {
    const look = () => screen.button('Save').dataset['variant'];
    expect(look()).toBe('default');
    edits.type('RetryTimes', '5');
    await shows(() => expect(look()).toBe('filled'));
    edits.drop('RetryTimes');
    await shows(() => expect(look()).toBe('default'));
  });

  test('the bar at the foot counts what the review counts: of prices, each one', async () => {
    edits.type('RetryTimes', '5');
    await shows(() => expect(screen.text()).toContain('1 unsaved change'));
    edits.type('ModelRatio', '{"a":2,"c":3}');
    await shows(() => expect(screen.text()).toContain('7 unsaved changes'));
    expect(screen.text()).toContain('Review 7 changes');
    expect(screen.button('Save 7 changes')).toBeDefined();
  });
});
