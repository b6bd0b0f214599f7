// What administrators write on the status page: incidents, maintenance, updates.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { type IncidentInput, type StatusIncident, statusLimits, type UpdateInput } from '#shared/status-page.ts';
import type { AppContext } from '#server/context.ts';
import type { StatusIncidentRecord, StatusText, StatusUpdate } from '#server/db/records/status-page.ts';
import { changeIncident } from '#server/slices/status-page/change-incident.ts';
import { presentIncident } from '#server/slices/status-page/present-incident.ts';

type Context = Pick<AppContext, 'db' | 'now'>;

export async function createIncident(
  context: Context,
  { update, ...input }: IncidentInput & { update: UpdateInput },
): Promise<StatusIncident> {
  const { db, now } = context;
  const incidents = db.collection('status_incidents');
  if ((await incidents.count({ open: 1 }, statusLimits.open)) >= statusLimits.open)
    throw new AppError('status_incidents_full', { limit: statusLimits.open });
  const at = Math.floor(now() / 1000);
  const { title, models, ...window } = fieldsOf(input, at);
  const record: StatusIncidentRecord = {
    id: await db.nextId('status_incidents'),
    revision: 1,
    kind: input.kind,
    title,
    models,
    ...window,
    state: update.state,
    updates: [updateOf(update, 1, at)],
    ...(update.state === 'resolved' ? { ended_at: Math.max(at, window.started_at) } : { open: 1 }),
  };
  await incidents.insert(record);
  return shown(record);
}

/** @throws {AppError} `not_found`, `revision_conflict` with the current incident; the measures name automatic ones */
export async function editIncident(
  context: Context,
  id: number,
  { revision, ...input }: IncidentInput & { revision: number },
): Promise<StatusIncident> {
  const at = Math.floor(context.now() / 1000);
  const after = await changeIncident(context, id, (incident) => {
    check(incident, revision);
    if (incident.kind === 'automatic') throw new AppError('not_found');
    const { planned_until: until, ...fields } = fieldsOf(input, incident.started_at || at);
    return {
      set: { kind: input.kind, ...fields, ...(until === undefined ? {} : { planned_until: until }) },
      unset: until === undefined ? ['planned_until'] : [],
    };
  });
  if (after === null) throw new AppError('not_found');
  return shown(after);
}

/**
 * Adds an update. `resolved` ends an incident; another state opens it again. Automatic incidents end by the measures.
 * @throws {AppError} `not_found`, `revision_conflict` with the current incident, `status_updates_full`
 */
export async function addUpdate(
  context: Context,
  id: number,
  { revision, ...update }: UpdateInput & { revision: number },
): Promise<StatusIncident> {
  const at = Math.floor(context.now() / 1000);
  const after = await changeIncident(context, id, (incident) => {
    const { updates, kind } = incident;
    // What the measures add in the meantime is no conflict with a text.
    if (kind !== 'automatic') check(incident, revision);
    if (updates.length >= statusLimits.updates) throw new AppError('status_updates_full', { limit: statusLimits.updates });
    const added = { updates: [...updates, updateOf(update, (updates.at(-1)?.id ?? 0) + 1, at)] };
    if (kind === 'automatic') {
      if (update.state === 'resolved' || update.state === 'planned')
        throw invalidField('state', fieldRules.oneOf(['investigating', 'identified', 'monitoring']));
      return { set: incident.open === 1 ? { ...added, state: update.state } : added, unset: [] };
    }
    const set = { ...added, state: update.state };
    if (update.state === 'resolved') return { set: { ...set, ended_at: Math.max(at, incident.started_at) }, unset: ['open'] };
    return { set: { ...set, open: 1 }, unset: ['ended_at'] };
  });
  if (after === null) throw new AppError('not_found');
  return shown(after);
}

export async function removeIncident({ db }: Context, id: number): Promise<void> {
  if ((await db.collection('status_incidents').take({ id })) === null) throw new AppError('not_found');
}

/** Ends maintenance whose window is over. */
export async function endMaintenance(context: Context): Promise<void> {
  const at = Math.floor(context.now() / 1000);
  for (const { id } of await context.db.collection('status_incidents').find({ open: 1, kind: 'maintenance', planned_until: { lte: at } })) {
    await changeIncident(context, id, ({ open, planned_until: until = at }) =>
      open === 1 && until <= at ? { set: { state: 'resolved', ended_at: until }, unset: ['open'] } : null,
    );
  }
}

function check(incident: StatusIncidentRecord, revision: number): void {
  if (incident.revision !== revision) throw new AppError('revision_conflict', {}, { data: shown(incident) });
}

function fieldsOf({ kind, title, models, planned_from: from, planned_until: until }: IncidentInput, at: number) {
  if (kind === 'maintenance' && (from === undefined || until === undefined)) throw invalidField('planned_until', fieldRules.required);
  const started_at = kind === 'maintenance' ? (from ?? at) : at;
  if (until !== undefined && until <= started_at) throw invalidField('planned_until', fieldRules.moreThan(started_at));
  return {
    title: both(title),
    models: [...new Set(models)].map((model) => ({ model, from: started_at })),
    started_at,
    ...(kind === 'maintenance' && until !== undefined ? { planned_until: until } : {}),
  };
}

function updateOf({ state, text }: UpdateInput, id: number, at: number): StatusUpdate {
  return { id, at, state, text: both(text) };
}

/** A text in one language stands for both. */
function both({ zh, en }: StatusText): StatusText {
  return { zh: zh === '' ? en : zh, en: en === '' ? zh : en };
}

function shown(record: StatusIncidentRecord): StatusIncident {
  const incident = presentIncident(record, () => true);
  if (incident === null) throw new AppError('not_found');
  return incident;
}
