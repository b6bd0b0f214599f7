import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Option } from '#shared/options.ts';
import { chooseLanguage } from '#pwa/i18n/setup.ts';
import { type DrawnScreen, drawScreen, shows, startScreenTexts } from '#tests/support/console-screen.tsx';
import { useSettingSearch } from './setting-search.ts';

const options: readonly Option[] = [
  { key: 'QuotaForNewUser', value: '281000', revision: 1 },
  { key: 'ServerAddress', value: 'https://harbour.example', revision: 1 },
  { key: 'SMTPToken', value: 'hidden-harbour', revision: 1, isSet: true },
  { key: 'Logo', value: 'data:image/png;base64,iVBORw0KGgo', revision: 1 },
];

let screen: DrawnScreen;

beforeAll(() => startScreenTexts('settings', 'setting_words'));
afterEach(() => screen.leave());

function draw(): (typed: string) => string[] {
  let find: ReturnType<typeof useSettingSearch> = () => [];
  function Search() {
    find = useSettingSearch(options);
    return null;
  }
  screen = drawScreen(<Search />);
  return (typed) => find(typed).flatMap(({ entries }) => entries.map(({ key }) => key));
}

describe('setting-search: people find settings by what they call them', () => {
  test.each([
    ['exchange rate', ['QuotaPerUnit', 'Price']],
    ['discount', ['GroupRatio', 'TopupGroupRatio']],
    ['vip', ['GroupRatio', 'UserUsableGroups']],
    ['timeout', ['ChannelDisableThreshold']],
    ['turn off registration', ['RegisterEnabled', 'PasswordRegisterEnabled']],
    ['Stripe', ['PayAddress', 'EpayId', 'EpayKey']],
    ['theme', ['SystemName', 'Logo']],
  ])('%s', async (typed, wanted) => {
    const find = draw();
    await shows(() => expect(find(typed)).toEqual(expect.arrayContaining(wanted)));
    // A word that everything has would find these, too.
    expect(find(typed)).not.toContain('SMTPPort');
  });

  describe('in Chinese', () => {
    beforeAll(() => chooseLanguage('zh'));
    afterAll(() => chooseLanguage('en'));

    test.each([
      ['汇率', ['QuotaPerUnit', 'Price']],
      ['折扣', ['GroupRatio', 'TopupGroupRatio']],
      ['会员', ['GroupRatio', 'UserUsableGroups']],
      ['VIP', ['GroupRatio', 'UserUsableGroups']],
      ['超时', ['ChannelDisableThreshold']],
      ['关闭注册', ['RegisterEnabled', 'PasswordRegisterEnabled']],
      ['stripe', ['PayAddress', 'EpayId', 'EpayKey']],
      ['主题', ['SystemName', 'Logo']],
    ])('%s', async (typed, wanted) => {
      const find = draw();
      await shows(() => expect(find(typed)).toEqual(expect.arrayContaining(wanted)));
      expect(find(typed)).not.toContain('SMTPPort');
    });
  });

  test('by their value, as it is stored and as it is shown; never by a secret or the bytes of a picture', () => {
    const find = draw();
    expect(find('281000')).toEqual(['QuotaForNewUser']);
    expect(find('$0.56')).toEqual(['QuotaForNewUser']);
    expect(find('harbour.example')).toEqual(['ServerAddress']);
    expect(find('hidden-harbour')).toEqual([]);
    expect(find('iVBORw0KGgo')).toEqual([]);
  });

  test('every word counts, in any order and case', () => {
    const find = draw();
    expect(find('REGISTRATION turn off')).toContain('RegisterEnabled');
    expect(find('registration nothing-has-this')).toEqual([]);
  });
});
