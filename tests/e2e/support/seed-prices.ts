// Price changes of a catalogue, written straight into the database of a running server: to review, planned, and held back by a rule.
import type { PriceReviewRecord } from '#server/db/records/price-review.ts';
import { openDatabase } from '#server/db/open.ts';

const source = 'models.dev';

/** Model, prices of input and output before and after, and what holds it back. */
const seeded: readonly (readonly [string, readonly [number, number] | null, readonly [number, number], PriceReviewRecord['guards']])[] = [
  ['claude-3-5-haiku', [0.8, 4], [1, 5], ['moved']],
  ['deepseek-chat', [0.28, 1.12], [0.3, 1.2], []],
  ['deepseek-reasoner', [0.28, 1.12], [0, 0], ['free', 'differs']],
  ['tide-preview-2026-11-with-a-rather-long-name', null, [2.5, 10], []],
];

export async function seedPrices(url: string): Promise<void> {
  const db = await openDatabase(url);
  const found_at = Math.floor(Date.now() / 1000) - 1800;
  for (const [model, before, [input, output], guards] of seeded) {
    const lines = [
      { name: 'input', unit: 'million' as const, after: input, ...(before === null ? {} : { before: before[0] }) },
      { name: 'output', unit: 'million' as const, after: output, ...(before === null ? {} : { before: before[1] }) },
      ...(model.startsWith('claude') ? [{ name: 'tier:batch', unit: 'factor' as const, before: 0.5, after: 0.4 }] : []),
    ];
    const entry = { key: 'ModelRatio', name: model, ...(before === null ? {} : { before: before[0] / 2 }), after: input / 2 };
    const more = { state: 'waiting' as const, lines, provider: 'anthropic', source, found_at };
    await db
      .collection('price_reviews')
      .insert({ id: model, revision: `r-${model}`, is_new: before === null, ...more, entries: [entry], guards: [...guards], unplaced: [] });
  }
  const lines = [{ name: 'input', unit: 'million' as const, before: 2.5, after: 2 }];
  const entries = [{ key: 'ModelRatio', name: 'gpt-4o', before: 1.25, after: 1 }];
  await db.collection('price_plans').insert({
    id: await db.nextId('price_plans'),
    model: 'gpt-4o',
    entries,
    lines,
    at: found_at + 86_400,
    state: 'waiting',
    user_id: 1,
    created_at: found_at,
    source,
  });
  const unplaced = [{ model: 'gpt-4o-search-preview', names: ['search_context_cost_per_query'] }];
  const run = {
    id: await db.nextId('price_syncs'),
    trigger: 'schedule',
    user_id: 0,
    state: 'done',
    started_at: found_at,
    ended_at: found_at + 2,
    source,
  } as const;
  await db.collection('price_syncs').insert({ ...run, format: 'models_dev', compared: 14, applied: 1, waiting: 4, invalid: [], unplaced });
  await db.close();
}
