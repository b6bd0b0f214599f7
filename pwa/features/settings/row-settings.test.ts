import { expect, test } from 'vitest';
import { settings } from '#shared/settings.ts';
import { chatRows, chatText, moved } from './chat-rows.ts';
import { groupMapsOf, groupRows, withRow } from './group-rows.ts';

test('groups: both maps are one row by name, and a row is written into both', () => {
  const maps = groupMapsOf('{"default":1,"vip":0.8}', '{"default":"Everybody","trial":"Try it"}');
  if (maps === undefined) throw new Error('no maps');
  expect(groupRows(maps)).toEqual([
    { name: 'default', factor: 1, description: 'Everybody' },
    { name: 'vip', factor: 0.8, description: undefined },
    { name: 'trial', factor: undefined, description: 'Try it' },
  ]);
  const offered = withRow(maps, 'vip', { factor: 0.5, description: 'VIP' });
  expect(JSON.parse(offered.factors)).toEqual({ default: 1, vip: 0.5 });
  expect(JSON.parse(offered.descriptions)).toEqual({ default: 'Everybody', trial: 'Try it', vip: 'VIP' });
  const gone = withRow(maps, 'trial', undefined);
  expect(JSON.parse(gone.descriptions)).toEqual({ default: 'Everybody' });
  for (const [key, text] of [
    ['GroupRatio', offered.factors],
    ['UserUsableGroups', offered.descriptions],
  ] as const)
    expect(settings[key].parse(text, key).ok).toBe(true);
  expect(groupMapsOf('{"default":', '{}')).toBeUndefined();
});

test('chat links: a list of names with links, in an order that can be changed', () => {
  const text = '[{"One":"https://one.example/#{key}"},{"Two":"https://two.example"}]';
  const rows = chatRows(text);
  expect(rows).toEqual([
    { name: 'One', link: 'https://one.example/#{key}' },
    { name: 'Two', link: 'https://two.example' },
  ]);
  const back = chatText(moved(rows ?? [], 1, -1));
  expect(chatRows(back)?.map(({ name }) => name)).toEqual(['Two', 'One']);
  expect(settings.Chats.parse(back, 'Chats').ok).toBe(true);
  for (const broken of ['{', '{}', '[1]', '[{"a":"b","c":"d"}]', '[{"a":1}]']) expect(chatRows(broken)).toBeUndefined();
  expect(chatRows('')).toEqual([]);
});
