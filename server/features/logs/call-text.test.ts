import { expect, test } from 'vitest';
import { callText } from './call-text.ts';

const factors = { model_ratio: 1.25, completion_ratio: 4, model_price: -1, group_ratio: 1.5 };
const words = '模型倍率 1.25，补全倍率 4.00，分组倍率 1.50';
const used = { prompt_source: 'upstream', completion_source: 'upstream' };

test.each([
  ['factors of what was used', { ...factors, ...used }, words],
  ['a price per call', { ...factors, ...used, model_price: 0.25 }, '模型价格 0.25，分组倍率 1.50'],
  ['a price of less than a cent', { ...factors, ...used, model_price: 0.006, group_ratio: 0.875 }, '模型价格 0.006，分组倍率 0.875'],
  ['one of a fifth of that', { ...factors, ...used, model_price: 0.000_002 }, '模型价格 0.000002，分组倍率 1.50'],
  [
    'small factors',
    { ...used, model_ratio: 0.075, completion_ratio: 4.166667, model_price: -1, group_ratio: 1 },
    '模型倍率 0.075，补全倍率 4.166667，分组倍率 1.00',
  ],
  ['a task', { ...factors, model_price: 0.005, task: { action: 'MUSIC', id: '' } }, '模型固定价格 0.005，分组倍率 1.50，操作 MUSIC'],
  ['a call that is free', { ...factors, ...used, model_price: 0 }, '模型价格 0.00，分组倍率 1.50'],
  ['nothing used', factors, `${words}（可能是上游超时）`],
  ['nothing used because the client left', { ...factors, ending: 'client_closed' }, words],
  ['nothing used because the server ended', { ...factors, ending: 'shutdown' }, words],
  ['what went wrong', { ...factors, ...used, ending: 'truncated', problem: 'cut off' }, `${words}（cut off）`],
  ['a row without facts', null, ''],
])('call-text: %s', (_, other, text) => {
  expect(callText({ other })).toBe(text);
});
