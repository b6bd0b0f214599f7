// Price changes of a catalogue, written straight into the database of a running server: to review, planned, and held back by a rule.
import { defaultQuotaPerUnit } from '#shared/quota.ts';
import { settings } from '#shared/settings.ts';
import type { Database } from '#server/db/database.ts';
import { openDatabase } from '#server/db/open.ts';
import type { PriceReviewRecord } from '#server/db/records/price-review.ts';
import { defaultText } from '#server/settings/defaults.ts';
import { byPriceKey, changedLines, type Prices, shownPrices } from '#server/slices/prices/price-lines.ts';

const source = 'models.dev';

/** Model, ratio of its input afterwards, and what holds it back. */
const seeded: readonly (readonly [string, number, PriceReviewRecord['guards']])[] = [
  ['claude-3-5-haiku', 0.5, ['moved']],
  ['deepseek-chat', 0.15, []],
  ['deepseek-reasoner', 0, ['free', 'differs']],
  ['tide-preview-2026-11-with-a-rather-long-name', 1.25, []],
];

export async function seedPrices(url: string): Promise<void> {
  const db = await openDatabase(url);
  const found_at = Math.floor(Date.now() / 1000) - 1800;
  const prices = await storedPrices(db);
  for (const [model, after, guards] of seeded) {
    const before = prices.ModelRatio[model];
    const changed = { ...prices, ModelRatio: { ...prices.ModelRatio, [model]: after } };
    const lines = changedLines(shownPrices(model, prices, defaultQuotaPerUnit), shownPrices(model, changed, defaultQuotaPerUnit));
    const entry = { key: 'ModelRatio', name: model, ...(before === undefined ? {} : { before }), after };
    const more = { state: 'waiting' as const, lines, provider: 'anthropic', source, found_at };
    await db.collection('price_reviews').insert({
      id: model,
      revision: `r-${model}`,
      is_new: before === undefined,
      ...more,
      entries: [entry],
      guards: [...guards],
      unplaced: [],
    });
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

async function storedPrices(db: Database): Promise<Prices> {
  const rows = new Map((await db.collection('options').find({})).map((row) => [row.id, row.value]));
  return byPriceKey((key) => {
    const parsed = settings[key].parse(rows.get(key) ?? defaultText(key), key);
    return parsed.ok ? parsed.value : {};
  });
}
