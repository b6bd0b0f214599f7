import { expect, test } from 'vitest';
import { Losses } from '../losses.ts';
import { fitSampling } from './sampling.ts';
import { writeThinking } from './thinking.ts';

const fields = { temperature: 0.5, top_p: 0.9, top_k: 5 };

test.each([
  ['claude-opus-4-7', fields, {}],
  ['anthropic.claude-opus-5-v1:0', fields, {}],
  ['claude-latest', fields, {}],
  ['claude-sonnet-4-5-20250929', fields, { temperature: 0.5, top_k: 5 }],
  ['claude-opus-4-1', { temperature: 1, top_p: 0.95, top_k: 64 }, { top_p: 0.95, top_k: 64 }],
  ['claude-haiku-4-5', { temperature: 2, top_p: 0.9 }, { top_p: 0.9 }],
  ['claude-haiku-4-5', { top_p: 0.9 }, { top_p: 0.9 }],
  ['claude-sonnet-4-20250514', fields, fields],
  ['claude-3-7-sonnet-latest', fields, fields],
  ['kimi-k2', fields, fields],
])('%s takes of %o: %o', (model, requested, sent) => {
  const body = { ...requested };
  fitSampling(body, model, new Losses({}));
  expect(body).toEqual(sent);
});

test.each([
  [
    'claude-opus-4-7',
    { budgetTokens: 32_000 },
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
  ],
  ['claude-opus-5', { budgetTokens: 1024 }, { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } }],
  [
    'claude-opus-5',
    { effort: 'xhigh' as const },
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
  ],
  [
    'claude-opus-4-6',
    { effort: 'xhigh' as const },
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
  ],
  ['claude-opus-4-6', { budgetTokens: 2048 }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
  ['claude-sonnet-4-5', { budgetTokens: 2048 }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
])('%s, with thinking %o: %o', (model, wish, reported) => {
  expect(writeThinking(model, { isOn: true, ...wish }, 64_000)).toMatchObject(reported);
});
