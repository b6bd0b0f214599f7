import { describe, expect, it } from 'vitest';
import { unlisted } from './use-palette-actions.ts';
import { menuEntries } from '#pwa/app/shell/menu-entries.ts';
import { Role } from '#shared/roles.ts';
import type { SiteStatus } from '#shared/site.ts';
import { called, fits, marked, type PaletteItem, readTyped, recordsFor } from './palette-item.ts';
import { isOpenTo } from './recent.ts';
import { searchWords } from './search-words.ts';

describe('palette', () => {
  it('finds an item by all words in any order, in its name and its detail', () => {
    const item = { name: 'Harbour mouth', detail: '#12 · azure' };
    expect(fits(item, 'mouth HARB')).toBe(true);
    expect(fits(item, 'azure harbour')).toBe(true);
    expect(fits(item, 'harbour east')).toBe(false);
    expect(fits(item, '   ')).toBe(true);
  });

  it('puts what is named so before what is also called so, and takes words of both for one item', () => {
    const items = [
      { key: 'screen:/detail', name: 'Dashboard' },
      { key: 'screen:/log', name: 'Usage logs' },
      { key: 'screen:/topup', name: 'Wallet' },
    ];
    const found = (typed: string) => called(items, typed).map(({ name }) => name);
    expect(found('usage')).toEqual(['Usage logs', 'Dashboard']);
    expect(found('usage bill')).toEqual(['Dashboard', 'Usage logs']);
    expect(found('wallet recharge')).toEqual(['Wallet']);
    expect(found('值')).toEqual(['Wallet']);
    expect(found('')).toEqual(['Dashboard', 'Usage logs', 'Wallet']);
    // Neither the middle of a word nor a single letter.
    expect(found('harge')).toEqual([]);
    expect(found('c')).toEqual([]);
  });

  it('has other words in both languages for every screen, those without a menu entry too', () => {
    const everything = menuEntries(Role.root, { enable_drawing: true, enable_task: true } as SiteStatus);
    for (const { to } of [...everything, ...unlisted]) {
      expect(searchWords[`screen:${to}`], to).toMatch(/[a-z]/);
      expect(searchWords[`screen:${to}`], to).toMatch(/\p{Script=Han}/u);
    }
  });

  it('marks what was typed and loses no letter of the text', () => {
    expect(marked('azure-eastus2', 'azure')).toEqual([
      { piece: 'azure', isMarked: true },
      { piece: '-eastus2', isMarked: false },
    ]);
    for (const [text, typed] of [
      ['Create a token', 'to a'],
      ['İstanbul ısı', 'i'],
      ['令牌 · Tokens', '令牌 tok'],
      ['plain', ''],
    ] as const) {
      expect(
        marked(text, typed)
          .map(({ piece }) => piece)
          .join(''),
      ).toBe(text);
    }
  });

  it('takes > for actions alone and # with digits for a number', () => {
    expect(readTyped('> sign')).toEqual({ kind: 'actions', text: 'sign' });
    expect(readTyped(' #42 ')).toEqual({ kind: 'id', text: '42' });
    expect(readTyped('#azure')).toEqual({ kind: 'any', text: '#azure' });
    expect(readTyped('#1234567890123456')).toEqual({ kind: 'any', text: '#1234567890123456' });
  });

  it('does not offer what was looked for earlier, unless it fits what is typed now', () => {
    const found = ['azure-east', 'azure-west'].map((name): PaletteItem => ({
      key: name,
      group: 'channels',
      icon: 'channels',
      name,
      detail: '#12',
    }));
    const names = (typed: string, isAnswered: boolean) => recordsFor(readTyped(typed), found, isAnswered).map(({ name }) => name);
    expect(names('azure', true)).toEqual(['azure-east', 'azure-west']);
    expect(names('azure-e', false)).toEqual(['azure-east']);
    expect(names('harbour', false)).toEqual([]);
    expect(names('#1', false)).toEqual([]);
    expect(names('#12', true)).toHaveLength(2);
    expect(names('> azure', true)).toEqual([]);
    expect(names('', true)).toEqual([]);
  });

  it('opens what this device remembers only where the screen is open to the account', () => {
    const screens = ['/', '/token', '/log'];
    expect(isOpenTo('/token?open=3', screens)).toBe(true);
    expect(isOpenTo('/log?request=x', screens)).toBe(true);
    expect(isOpenTo('/channel/edit/3', screens)).toBe(false);
    expect(isOpenTo('/user/edit/3', screens)).toBe(false);
    expect(isOpenTo('//elsewhere', ['/token'])).toBe(false);
  });
});
