import { describe, expect, it } from 'vitest';
import { isSecret, settingKeys, settings } from '#shared/settings.ts';
import en from '#pwa/i18n/en/settings.json' with { type: 'json' };
import zh from '#pwa/i18n/zh/settings.json' with { type: 'json' };
import { controlOf, entriesOf, pageGroups, pageOfAddress, pages } from './pages.ts';
import { textName } from './setting-entry.ts';

const entries = pages.flatMap(entriesOf);

describe('pages of the settings', () => {
  it('have a field for every setting, once', () => {
    expect(entries.map(({ key }) => key).toSorted()).toEqual([...settingKeys].toSorted());
  });

  it('have names, and every field its label, its hint and the words of its choices, in both languages', () => {
    for (const [language, texts] of Object.entries({ zh, en })) {
      const option: Record<string, { label?: string; hint?: string; warning?: string }> = texts.option;
      const choice: Record<string, Record<string, string>> = texts.choice;
      for (const { key, warns } of entries) {
        const words = option[textName(key)];
        expect(words?.label, `${language} ${key}`).toBeTruthy();
        expect(words?.hint, `${language} ${key}`).toBeTruthy();
        if (warns === true) expect(words?.warning, `${language} ${key}`).toBeTruthy();
        for (const value of settings[key].choices ?? []) expect(choice[textName(key)]?.[value], `${language} ${key} ${value}`).toBeTruthy();
      }
      const page: Record<string, string> = texts.page;
      const section: Record<string, string> = texts.section;
      const group: Record<string, string> = texts.group;
      for (const { name, sections } of pages) {
        expect(page[name]).toBeTruthy();
        for (const one of sections) if (one.name !== undefined) expect(section[one.name]).toBeTruthy();
      }
      expect(pageGroups.every((name) => group[name] !== undefined)).toBe(true);
    }
  });

  it('name the unit of a time, a size and a price beside the number', () => {
    const measured = settingKeys.filter((key) => /Days|Minutes|Megabytes|Percent|^Price$/.test(key));
    expect(measured).toContain('FileMegabytesPerUser');
    for (const [language, texts] of Object.entries({ zh, en })) {
      const unit: Record<string, string> = texts.unit;
      for (const key of measured) expect(unit[textName(key)], `${language} ${key}`).toBeTruthy();
    }
  });

  it('never show a secret in a field that shows its text', () => {
    for (const key of settingKeys) expect(controlOf(key) === 'secret', key).toBe(isSecret(key));
  });

  it('are found by their name, by the tabs of the specified clients, and by a field', () => {
    expect(pageOfAddress('mail', undefined).name).toBe('mail');
    for (const tab of ['operation', 'ratelimit', 'models', 'system', 'other']) {
      expect(entriesOf(pageOfAddress(tab, undefined)).length, tab).toBeGreaterThan(0);
    }
    expect(pageOfAddress('other', undefined).name).toBe('content');
    expect(pageOfAddress(undefined, 'ModelRatio').name).toBe('prices');
    expect(pageOfAddress('no such page', undefined).name).toBe('general');
    expect(pageOfAddress(undefined, undefined).name).toBe('general');
  });
});
