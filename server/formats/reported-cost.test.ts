import { expect, test } from 'vitest';
import { reportedCost } from './reported-cost.ts';

test.each([
  ['OpenRouter', { cost: 0.95, cost_details: { upstream_inference_cost: null } }, 0.95],
  ['OpenRouter by a key of its own', { cost: 0.05, is_byok: true, cost_details: { upstream_inference_cost: 1 } }, 1.05],
  ['xAI', { cost_in_usd_ticks: 158_500_000 }, 0.01585],
  ['Perplexity', { cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } }, 0.006],
  ['nothing', { prompt_tokens: 5 }, undefined],
  ['no usage', null, undefined],
  ['less than nothing', { cost: -1 }, undefined],
  ['no number', { cost: '1' }, undefined],
  ['more than anything costs', { cost: 1e9 }, undefined],
])('a cost as reported by %s', (_who, usage, dollars) => {
  expect(reportedCost(usage)).toBe(dollars);
});
