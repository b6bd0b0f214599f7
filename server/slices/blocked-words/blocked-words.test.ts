import { describe, expect, it } from 'vitest';
import type { SettingKey, SettingValue } from '#shared/settings.ts';
import { createBlockedWords } from './blocked-words.ts';

function wordsOf(SensitiveWords: readonly string[]) {
  const values: Partial<Record<SettingKey, unknown>> = {
    SensitiveWords,
    CheckSensitiveEnabled: true,
    CheckSensitiveOnPromptEnabled: true,
    StopOnSensitiveEnabled: true,
  };
  const get = <Key extends SettingKey>(key: Key) => values[key] as SettingValue<Key>;
  return createBlockedWords({
    settings: {
      get,
      basePath: '',
      revision: 1,
      groupMoves: { running: null, ended: [] },
      managed: { setting: new Map(), group: new Map(), price: new Map() },
      reload: () => Promise.resolve(),
      onChange() {},
    },
  });
}

/** How many turns the search takes. */
async function turnsFor(texts: readonly string[], words = ['contraband']): Promise<number> {
  let turns = 0;
  await wordsOf(words).check(texts, (work) => {
    turns += 1;
    return Promise.resolve(work());
  });
  return turns;
}

describe('blocked words', () => {
  it("texts of an agent's call are looked at at once, or many a turn", async () => {
    expect(await turnsFor(Array.from({ length: 460 }, () => 'x'.repeat(60)))).toBe(0);
    expect(await turnsFor(Array.from({ length: 460 }, () => 'x'.repeat(260)))).toBeLessThanOrEqual(3);
    expect(await turnsFor(Array.from({ length: 40_000 }, () => 'tool'))).toBe(1);
    expect(await turnsFor(Array.from({ length: 40_000 }, () => 'x'))).toBeLessThanOrEqual(22);
  });

  it('no turn is longer than a piece, or than one word needs', async () => {
    expect(await turnsFor(['x'.repeat(1_000_000)])).toBeGreaterThanOrEqual(15);
    expect(await turnsFor(Array.from({ length: 100_000 }, () => ''))).toBeGreaterThanOrEqual(40);
    // Every character may be escaped: pieces overlap by nine words, and are two overlaps long.
    expect(await turnsFor(['x'.repeat(1_000_000)], ['word '.repeat(10_000)])).toBeLessThanOrEqual(4);
  });

  it.each([0, 299, 300, 599])('a word in text %i of 600 is found, whatever turn it is in', async (place) => {
    const texts = Array.from({ length: 600 }, (_, index) => (index === place ? 'Contraband' : 'x'.repeat(250)));
    await expect(turnsFor(texts)).rejects.toMatchObject({ code: 'sensitive_words_detected' });
    expect(() => wordsOf(['contraband']).check(texts)).toThrow(expect.objectContaining({ code: 'sensitive_words_detected' }));
  });

  it('nothing is looked for where no word is set, or none that anybody sees', () => {
    for (const none of [[], ['\u200B'], ['\u00AD', '\u2060']]) {
      const words = wordsOf(none);
      expect([words.isOn, words.output()]).toEqual([false, null]);
    }
    expect(wordsOf(['\u200B', 'x']).isOn).toBe(true);
  });
});
