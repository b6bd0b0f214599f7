// Reads the status page: figures, states and incidents once per half a minute for all visitors, then one page per set of groups. Reloading makes the
// server read nothing.
import { createHash } from 'node:crypto';
import { type StatusIncident, type StatusModel, type StatusPage, statusSeconds, type StatusState } from '#shared/status-page.ts';
import { AppError } from '#shared/errors.ts';
import { Role } from '#shared/roles.ts';
import type { AppContext } from '#server/context.ts';
import type { ModelStateRecord, StatusIncidentRecord } from '#server/db/records/status-page.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { usableGroups } from '#server/settings/usable-groups.ts';
import { createFigureCache, type FigureCache } from '#server/slices/status-page/figure-cache.ts';
import { spanSeconds, spanStart } from '#server/slices/status-page/figure-spans.ts';
import { presentIncident } from '#server/slices/status-page/present-incident.ts';
import { firstDayOf, presentModel } from '#server/slices/status-page/present-model.ts';
import { listedModels, type ListedModel } from '#server/slices/status-page/status-models.ts';

export interface Visitor {
  /** Sorted; undefined: all groups. */
  groups: readonly string[] | undefined;
  isAdmin: boolean;
}

export interface ReadPage {
  page: StatusPage;
  /** Changes with the page. */
  tag: string;
}

export interface StatusPages {
  read(visitor: Visitor): Promise<ReadPage>;
  /** Ended incidents before an id, the newest first. */
  past(visitor: Visitor, before: number | undefined): Promise<{ incidents: StatusIncident[]; has_more: boolean }>;
  /** Reads incidents again, after an edit. */
  changed(): void;
}

/** Ended incidents on the page, and on each further one. */
const pastOnPage = 10;
/** Ended incidents that are looked through for a visitor who may see few of them. */
const mostPast = 500;
/** Pages of different groups in memory. */
const mostPages = 100;

/**
 * Returns what the caller may see: the public the models of the group `default`, users those of their groups, administrators all.
 * @throws {AppError} `not_found` if the page is off, `not_logged_in` if it is for members
 */
export function visitorOf({ settings }: Pick<AppContext, 'settings'>, user: UserRecord | null): Visitor {
  const audience = settings.get('StatusPage');
  if (audience === 'off') throw new AppError('not_found');
  if (user === null && audience === 'members') throw new AppError('not_logged_in');
  if (user === null) return { groups: ['default'], isAdmin: false };
  if (user.role >= Role.admin) return { groups: undefined, isAdmin: true };
  return { groups: Object.keys(usableGroups(settings, user.group)).toSorted(), isAdmin: false };
}

interface Measures {
  at: number;
  models: ReadonlyMap<string, { listed: ListedModel; shown: StatusModel }>;
  open: readonly StatusIncidentRecord[];
  ended: readonly StatusIncidentRecord[];
}

export function createStatusPages(context: AppContext): StatusPages {
  const { settings } = context;
  const measured = createMeasures(context);
  let pages = new Map<string, ReadPage>();
  /** What the pages were made of. */
  let made: { measures: Measures; settings: number } | null = null;

  function seesIn({ models }: Measures, { groups, isAdmin }: Visitor): (model: string) => boolean {
    // Administrators see incidents of models that are gone.
    if (isAdmin) return () => true;
    const hidden = new Set(settings.get('StatusPageHidden'));
    return (model) => {
      const known = models.get(model);
      if (known === undefined || hidden.has(model)) return false;
      return groups === undefined || groups.some((group) => known.listed.groups.has(group));
    };
  }

  return {
    async read(visitor) {
      const found = await measured.current();
      if (made?.measures !== found || made.settings !== settings.revision || pages.size >= mostPages) pages = new Map();
      made = { measures: found, settings: settings.revision };
      const key = JSON.stringify(visitor);
      let known = pages.get(key);
      if (known === undefined) {
        const hidden = new Set(visitor.isAdmin ? settings.get('StatusPageHidden') : []);
        const page = present(found, { sees: seesIn(found, visitor), hidden });
        known = { page, tag: createHash('sha256').update(JSON.stringify(page)).digest('base64url').slice(0, 22) };
        pages.set(key, known);
      }
      return known;
    },
    async past(visitor, before) {
      const found = await measured.current();
      const ended = found.ended.filter(({ id }) => before === undefined || id < before);
      return firstOf(
        ended.toSorted((one, other) => other.id - one.id),
        { sees: seesIn(found, visitor), count: 4 * pastOnPage },
      );
    },
    changed: () => measured.forget(),
  };
}

/** Measures that are read again when they are old, or when channels have changed. */
function createMeasures(context: AppContext): { current(): Promise<Measures>; forget(): void } {
  const { now, channels } = context;
  const figures = createFigureCache(context);
  let known: { until: number; revision: number; reading: Promise<Measures> } | null = null;
  return {
    current() {
      const at = now();
      const isFresh = known !== null && at < known.until && at > known.until - 2 * statusSeconds * 1000;
      if (known === null || !isFresh || known.revision !== channels.revision) {
        const reading = readMeasures(context, figures);
        known = { until: at + statusSeconds * 1000, revision: channels.revision, reading };
        reading.catch(() => {
          if (known?.reading === reading) known = null;
        });
      }
      return known.reading;
    },
    forget() {
      known = null;
    },
  };
}

async function readMeasures(context: AppContext, figures: FigureCache): Promise<Measures> {
  const { db, now } = context;
  const at = Math.floor(now() / 1000);
  const days = await figures.read('d', firstDayOf(at));
  const hours = await figures.read('h', spanStart('h', at) - spanSeconds.d);
  const slots = await figures.read('s', at - spanSeconds.h);
  const states = new Map<string, ModelStateRecord>();
  for await (const state of db.collection('model_states').each({})) states.set(state.id, state);
  const models = new Map<string, { listed: ListedModel; shown: StatusModel }>();
  for (const [model, listed] of listedModels(context)) {
    const own = { days: days.get(model) ?? [], hours: hours.get(model) ?? [], slots: slots.get(model) ?? [] };
    models.set(model, { listed, shown: presentModel(listed, states.get(model), own, at) });
  }
  const incidents = db.collection('status_incidents');
  const open = await incidents.find({ open: 1 }, { sort: [['id', -1]] });
  const ended = await incidents.find(
    { ended_at: { gte: 0 } },
    {
      sort: [
        ['ended_at', -1],
        ['id', -1],
      ],
      limit: mostPast,
    },
  );
  return { at, models, open, ended };
}

function present(
  { at, models, open, ended }: Measures,
  { sees, hidden }: { sees: (model: string) => boolean; hidden: ReadonlySet<string> },
): StatusPage {
  const shown: StatusModel[] = [];
  for (const [model, { shown: own }] of models) if (sees(model)) shown.push(hidden.has(model) ? { ...own, is_hidden: true } : own);
  shown.sort((one, other) => rank(one) - rank(other) || (one.model < other.model ? -1 : 1));
  const current = open.map((incident) => presentIncident(incident, sees)).filter((incident) => incident !== null);
  // Over for the models that this visitor sees.
  const over = current.filter(({ ended_at: end }) => end !== undefined);
  const past = firstOf(ended, { sees, count: pastOnPage });
  return {
    at,
    first_day: firstDayOf(at),
    models: shown,
    current: current.filter(({ ended_at: end }) => end === undefined),
    past: [...over, ...past.incidents],
    has_more: past.has_more,
  };
}

function firstOf(
  incidents: readonly StatusIncidentRecord[],
  { sees, count }: { sees: (model: string) => boolean; count: number },
): { incidents: StatusIncident[]; has_more: boolean } {
  const found: StatusIncident[] = [];
  for (const incident of incidents) {
    const shown = presentIncident(incident, sees);
    if (shown === null) continue;
    if (found.length === count) return { incidents: found, has_more: true };
    found.push(shown);
  }
  return { incidents: found, has_more: false };
}

const ranks: Readonly<Record<StatusState, number>> = { down: 0, slow: 1, operational: 2, unknown: 3 };

function rank({ state, is_hidden: isHidden }: StatusModel): number {
  if (isHidden === true) return 4;
  return ranks[state];
}
