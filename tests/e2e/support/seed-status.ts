// Ninety days of the status page, written straight into the database of a running server: a model that is down, one that is slow, and quiet ones.
import { openDatabase } from '#server/db/open.ts';
import { firstByteBuckets } from '#server/exchange/first-byte-buckets.ts';
import { figureId, type Span, spanSeconds, spanStart } from '#server/slices/status-page/figure-spans.ts';
import type { ModelFigureRecord } from '#server/db/records/status-page.ts';

interface SeededModel {
  model: string;
  state: 'operational' | 'slow' | 'down';
  /** Days ago of a bad day. */
  bad: readonly number[];
  /** Days of the history. */
  days: number;
  milliseconds: number;
}

export const seededModels: readonly SeededModel[] = [
  { model: 'gpt-4o', state: 'down', bad: [0, 33], days: 90, milliseconds: 900 },
  { model: 'gpt-4o-mini', state: 'slow', bad: [], days: 90, milliseconds: 2600 },
  { model: 'deepseek-chat', state: 'operational', bad: [12, 13], days: 40, milliseconds: 600 },
  { model: 'claude-3-5-haiku', state: 'operational', bad: [], days: 90, milliseconds: 420 },
];

export async function seedStatus(url: string): Promise<void> {
  const db = await openDatabase(url);
  const at = Math.floor(Date.now() / 1000);
  for (const { model, state, bad, days, milliseconds } of seededModels) {
    const figures: ModelFigureRecord[] = [];
    for (let ago = 0; ago < days; ago += 1) {
      const isBad = bad.includes(ago);
      const figure = figureOf('d', spanStart('d', at) - ago * spanSeconds.d, { model, milliseconds, failed: isBad ? 90 : 0 });
      figures.push({
        ...figure,
        ...(isBad ? { down_seconds: 2400 } : {}),
        ...(state === 'slow' && ago === 0 ? { slow_seconds: 1500 } : {}),
      });
    }
    for (let ago = 0; ago < 24; ago += 1)
      figures.push(
        figureOf('h', spanStart('h', at) - ago * spanSeconds.h, {
          model,
          milliseconds: milliseconds * (1 + ((ago * 7) % 5) / 20),
          failed: 0,
        }),
      );
    for (let ago = 0; ago < 6; ago += 1)
      figures.push(figureOf('s', spanStart('s', at) - ago * spanSeconds.s, { model, milliseconds, failed: 0 }));
    for (const figure of figures) await db.collection('model_figures').insert(figure);
    const since = state === 'operational' ? at - 86_400 : at - 1500;
    await db
      .collection('model_states')
      .insert({ id: model, state, since, called_at: at, ...(state === 'operational' ? {} : { summed_until: at }) });
  }
  const common = { revision: 1, title: { zh: '', en: '' } };
  const incidents = db.collection('status_incidents');
  await incidents.insert({
    ...common,
    id: await db.nextId('status_incidents'),
    kind: 'automatic',
    level: 'down',
    state: 'identified',
    open: 1,
    started_at: at - 1500,
    models: [{ model: 'gpt-4o', from: at - 1500, failed_percent: 85 }],
    updates: [
      {
        id: 1,
        at: at - 1200,
        state: 'investigating',
        text: { zh: '调用失败，失败的调用不收费。', en: 'Calls fail; they are not charged.' },
      },
      {
        id: 2,
        at: at - 600,
        state: 'identified',
        text: { zh: '供应商报告一个区域中断。', en: 'The provider reports an outage in one region.' },
      },
    ],
  });
  await incidents.insert({
    ...common,
    id: await db.nextId('status_incidents'),
    kind: 'automatic',
    level: 'slow',
    state: 'investigating',
    open: 1,
    started_at: at - 1400,
    models: [{ model: 'gpt-4o-mini', from: at - 1400, first_token_ms: 2600, usual_ms: 610 }],
    updates: [],
  });
  const start = at - 12 * 86_400;
  await incidents.insert({
    ...common,
    id: await db.nextId('status_incidents'),
    kind: 'automatic',
    level: 'down',
    state: 'resolved',
    started_at: start,
    ended_at: start + 3060,
    models: [{ model: 'deepseek-chat', from: start, to: start + 3060, failed_percent: 40 }],
    updates: [],
  });
  await incidents.insert({
    ...common,
    id: await db.nextId('status_incidents'),
    kind: 'maintenance',
    state: 'resolved',
    title: { zh: '计划升级', en: 'Planned update' },
    started_at: start - 86_400,
    planned_until: start - 86_400 + 180,
    ended_at: start - 86_400 + 180,
    models: [],
    updates: [
      { id: 1, at: start - 90_000, state: 'planned', text: { zh: '预计三分钟，期间调用不中断。', en: 'Three minutes; calls go on.' } },
    ],
  });
  await db.close();
}

function figureOf(
  span: Span,
  start: number,
  { model, milliseconds, failed }: { model: string; milliseconds: number; failed: number },
): ModelFigureRecord {
  const from = firstByteBuckets.findLast((bound) => bound <= milliseconds) ?? 0;
  const slowest = firstByteBuckets.findLast((bound) => bound <= milliseconds * 3) ?? 0;
  return {
    id: figureId(span, start, model),
    model,
    start,
    answered: 1000,
    failed,
    first_byte: { [`ms_${from}`]: 90, [`ms_${slowest}`]: 10 },
    first_byte_ms: { [`ms_${from}`]: 90 * milliseconds, [`ms_${slowest}`]: 10 * milliseconds * 3 },
  };
}
