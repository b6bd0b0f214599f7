// Figures that a process has read for the status page. Spans that are over do not change, so each of them is read once; only the latest are read again.
import type { AppContext } from '#server/context.ts';
import type { ModelFigureRecord } from '#server/db/records/status-page.ts';
import { figuresBetween, retainedSeconds, type Span, spanSeconds, spanStart } from '#server/slices/status-page/figure-spans.ts';

/** Time after the end of a span in which processes still add to it, in seconds. */
const settleSeconds = 600;

export interface FigureCache {
  /** Figures by model since `from`, unix seconds, the oldest first. */
  read(span: Span, from: number): Promise<ReadonlyMap<string, readonly ModelFigureRecord[]>>;
}

interface SpanFigures {
  /** Start from which figures may still change. */
  settled: number;
  /** Start → model → figure. */
  byStart: Map<number, Map<string, ModelFigureRecord>>;
}

export function createFigureCache({ db, now }: Pick<AppContext, 'db' | 'now'>): FigureCache {
  const known = new Map<Span, SpanFigures>();

  async function refresh(span: Span): Promise<SpanFigures> {
    const at = Math.floor(now() / 1000);
    const least = spanStart(span, at - retainedSeconds[span]);
    const figures = known.get(span) ?? { settled: least, byStart: new Map() };
    // A clock that was set back reads everything again.
    const from = figures.settled > at ? least : Math.max(least, figures.settled);
    const fresh = new Map<number, Map<string, ModelFigureRecord>>();
    for await (const figure of db.collection('model_figures').each(figuresBetween(span, from))) {
      let models = fresh.get(figure.start);
      if (models === undefined) fresh.set(figure.start, (models = new Map()));
      models.set(figure.model, figure);
    }
    for (const [start, models] of fresh) figures.byStart.set(start, models);
    for (const start of figures.byStart.keys()) if (start < least) figures.byStart.delete(start);
    figures.settled = spanStart(span, at - settleSeconds - spanSeconds[span]) + spanSeconds[span];
    known.set(span, figures);
    return figures;
  }

  return {
    async read(span, from) {
      const { byStart } = await refresh(span);
      const models = new Map<string, ModelFigureRecord[]>();
      for (const start of [...byStart.keys()].toSorted((one, other) => one - other)) {
        if (start < from) continue;
        for (const figure of byStart.get(start)?.values() ?? []) {
          const own = models.get(figure.model);
          if (own === undefined) models.set(figure.model, [figure]);
          else own.push(figure);
        }
      }
      return models;
    },
  };
}
