import { t } from 'i18next';
import { createElement } from 'react';
import { beforeAll, expect, it } from 'vitest';
import { buildLog } from '#tests/support/log-row.ts';
import { chooseLanguage, loadTexts } from '#pwa/i18n/setup.ts';
import { drawScreen, startScreenTexts } from '#tests/support/console-screen.tsx';
import { listColumns } from './list-columns.ts';
import { logColumns } from './log-columns.tsx';
import { createFormat } from '#pwa/ui/billing/format.ts';
import { ownWords } from '#pwa/ui/billing/log-sentence.ts';

beforeAll(async () => {
  await startScreenTexts('logs');
});

const refusal = { code: 'insufficient_user_quota', status: 403, count: 1, last_at: 1, request_ids: [] };
const reason = (text: string) => ({ ...refusal, reason: { zh: text, en: text } });

it('log-columns: a card has no part for what says nothing, so no dot stands for it', () => {
  const columns = logColumns(t, { isAdmin: true, hasMembers: false, unit: 'USD', isPhone: true, menu: () => null });
  const part = (key: string, log: Parameters<typeof buildLog>[0]) => columns.find((column) => column.key === key)?.cell(buildLog(log));
  expect(part('ending', {})).toBeNull();
  expect(part('ending', { other: { ending: 'truncated' } })).not.toBeNull();
  const refused = { type: 5, other: { refusal: reason('user quota is not enough') } };
  expect(part('ending', refused)).not.toBeNull();
  expect(part('type', refused)).toBeNull();
});

it('log-columns: a list without calls has no columns of calls, and its sentences have their width', () => {
  const columns = logColumns(t, { isAdmin: true, hasMembers: false, unit: 'USD', isPhone: false, menu: () => null });
  const keys = (type: number | undefined) => listColumns(columns, { type, isTight: false }).map(({ key }) => key);
  for (const type of [1, 3, 4, 5]) {
    expect(keys(type)).not.toEqual(expect.arrayContaining(['channel']));
    expect(keys(type)).not.toEqual(expect.arrayContaining(['use_time']));
    expect(keys(type)).toEqual(expect.arrayContaining(['time', 'username', 'model', 'cost', 'operate']));
  }
  for (const type of [undefined, 2, 6]) expect(keys(type)).toEqual(columns.map(({ key }) => key));
});

it('log-columns: in an organisation, who called has a column: a member, or a service account', () => {
  const options = { isAdmin: false, unit: 'USD', isPhone: false, menu: () => null };
  const member = (hasMembers: boolean) => logColumns(t, { ...options, hasMembers }).find(({ key }) => key === 'member');
  expect(member(false)).toBeUndefined();
  const cell = (fields: Parameters<typeof buildLog>[0]) => member(true)?.cell(buildLog(fields));
  expect(cell({ member_id: 7, member_name: 'Mary' })).toBe('Mary');
  expect(cell({ member_id: 7, member_name: '' })).toBe('#7');
  expect(cell({ member_id: 0, member_name: '' })).toBe('Service account');
  expect(cell({})).toBeNull();
});

it('log-columns: refused calls of several models say so, and whose reason it is', () => {
  const columns = logColumns(t, { isAdmin: true, hasMembers: false, unit: 'USD', isPhone: false, menu: () => null });
  const what = (facts: object) => {
    const log = buildLog({ type: 5, model_name: '', other: { refusal: { ...reason('The model nope-9 does not exist'), ...facts } } });
    const screen = drawScreen(createElement('p', {}, columns.find(({ key }) => key === 'model')?.cell(log)));
    const said = document.querySelector('p')?.textContent ?? '';
    screen.leave();
    return said;
  };
  const code = 'model_not_found';
  expect(what({ code, count: 4, is_others: true })).toMatch(/^Other models.*×4.*last: The model nope-9 does not exist$/);
  expect(what({ code, count: 4 })).not.toMatch(/Other models|last: /);
});

const format = createFormat({ language: 'zh', quotaPerUnit: 500_000, inCurrency: true });

it('log-words: what callers are told in English only is said in the words of the console', async () => {
  await chooseLanguage('zh');
  await loadTexts('logs');
  expect(ownWords(reason('user quota is not enough'), t, format)).toBe('账户没有额度');
  expect(ownWords(reason('chat pre-consumed quota failed, user quota: $0.10, need quota: $0.25'), t, format)).toBe(
    '账户额度不足：剩余 $0.10，调用最多需要 $0.25',
  );
  // As the relay writes them, and as it did while amounts were shown as quota.
  for (const [user, need] of [
    ['＄0.000168', '＄0.500000'],
    ['84', '250000'],
  ])
    expect(ownWords(reason(`chat pre-consumed quota failed, user quota: ${user}, need quota: ${need}`), t, format)).toBe(
      '账户额度不足：剩余 $0.000168，调用最多需要 $0.50',
    );
  expect(ownWords({ ...reason('model is required'), code: 'model_required' }, t, format)).toBe('请求没有指定模型');
  for (const code of ['model_price_error', 'model_price_error_admin']) {
    const reported = { ...reason('Model a b ratio or price not set, please contact administrator to set'), code };
    expect(ownWords(reported, t, format)).toBe('模型 a b 没有价格');
  }
  expect(ownWords({ ...reason('nobody knows'), code: 'model_not_found' }, t, format)).toBeUndefined();
});
