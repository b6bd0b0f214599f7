// Incidents that the measures open and close. Models that are disturbed alike within ten minutes share one; a disturbance that returns within half an
// hour continues it. So their number is bounded, however many models a provider takes down and however often.
import type { IncidentLevel } from '#shared/status-page.ts';
import type { AppContext } from '#server/context.ts';
import type { StatusIncidentModel, StatusIncidentRecord } from '#server/db/records/status-page.ts';
import type { ModelWindow } from '#server/slices/status-page/judge-model.ts';
import { changeIncident } from '#server/slices/status-page/change-incident.ts';

export interface Disturbance {
  model: string;
  level: IncidentLevel;
  /** Unix seconds. */
  since: number;
  window: ModelWindow;
}

const sharedSeconds = 600;
const continuedSeconds = 1800;
/** Models of one incident. */
const mostModels = 500;

/**
 * Ends all other disturbances than these, and the incidents in which none lasts. By what is open, not by the models that have just recovered: an earlier
 * judgement may have been cut short.
 */
export async function endDisturbances(context: AppContext, lasting: readonly Disturbance[], at: number): Promise<void> {
  const levels = new Map(lasting.map(({ model, level }) => [model, level]));
  for (const { id, level } of await openIncidents(context)) {
    const isEnding = ({ model, to }: StatusIncidentModel) => to === undefined && levels.get(model) !== level;
    await changeIncident(context, id, (incident) => {
      if (!incident.models.some(isEnding)) return null;
      const rest = incident.models.map((one) => (isEnding(one) ? { ...one, to: at } : one));
      const isOver = rest.every(({ to }) => to !== undefined);
      return { set: { models: rest, ...(isOver ? { state: 'resolved', ended_at: at } : {}) }, unset: isOver ? ['open'] : [] };
    });
  }
}

/** Adds disturbances that have begun, and the extent of those that last. */
export async function addDisturbances(context: AppContext, disturbances: readonly Disturbance[], at: number): Promise<void> {
  if (disturbances.length === 0) return;
  const open = await openIncidents(context);
  const recent = await context.db.collection('status_incidents').find({ kind: 'automatic', ended_at: { gte: at - continuedSeconds } });
  const candidates = [...open, ...recent];
  const added = new Map<number, Disturbance[]>();
  const fresh = new Map<IncidentLevel, Disturbance[]>();
  for (const disturbance of disturbances) {
    const found = homeOf(candidates, disturbance, at);
    if (found === undefined) fresh.set(disturbance.level, [...(fresh.get(disturbance.level) ?? []), disturbance]);
    else added.set(found.id, [...(added.get(found.id) ?? []), disturbance]);
  }
  for (const [id, members] of added) await changeIncident(context, id, (incident) => extended(incident, members));
  for (const [level, members] of fresh) {
    for (let from = 0; from < members.length; from += mostModels)
      await openIncident(context, level, members.slice(from, from + mostModels));
  }
}

/** The incident of the model that lasts, the one that it had until just now, or one that has just begun. */
function homeOf(candidates: readonly StatusIncidentRecord[], { model, level }: Disturbance, at: number): StatusIncidentRecord | undefined {
  const alike = candidates.filter((incident) => incident.level === level);
  const known = (incident: StatusIncidentRecord) => incident.models.findLast((one) => one.model === model);
  return (
    alike.find((incident) => incident.open === 1 && known(incident)?.to === undefined && known(incident) !== undefined) ??
    alike.find((incident) => (known(incident)?.to ?? 0) >= at - continuedSeconds) ??
    alike.find(({ open, started_at: from, models }) => open === 1 && from >= at - sharedSeconds && models.length < mostModels)
  );
}

function extended(incident: StatusIncidentRecord, members: readonly Disturbance[]) {
  const models = [...incident.models];
  let isChanged = false;
  for (const member of members) {
    const index = models.findLastIndex(({ model }) => model === member.model);
    const known = models[index];
    if (known === undefined) models.push(entryOf(member));
    else {
      const { to, ...rest } = known;
      const entry = worse(rest, entryOf(member));
      if (to === undefined && isEqual(entry, known)) continue;
      models[index] = entry;
    }
    isChanged = true;
  }
  if (!isChanged) return null;
  const reopened = incident.open === 1 ? {} : ({ set: { open: 1, state: 'investigating' }, unset: ['ended_at'] } as const);
  return { set: { models, ...reopened.set }, unset: reopened.unset ?? [] };
}

async function openIncident({ db }: AppContext, level: IncidentLevel, members: readonly Disturbance[]): Promise<void> {
  await db.collection('status_incidents').insert({
    id: await db.nextId('status_incidents'),
    revision: 1,
    kind: 'automatic',
    level,
    state: 'investigating',
    open: 1,
    started_at: Math.min(...members.map(({ since }) => since)),
    title: { zh: '', en: '' },
    models: members.map(entryOf),
    updates: [],
  });
}

function openIncidents({ db }: AppContext): Promise<StatusIncidentRecord[]> {
  return db.collection('status_incidents').find({ open: 1, kind: 'automatic' });
}

function entryOf({ model, level, since, window }: Disturbance): StatusIncidentModel {
  const entry: StatusIncidentModel = { model, from: since };
  const calls = window.answered + window.failed;
  if (level === 'down' && calls > 0) entry.failed_percent = Math.round((window.failed / calls) * 20) * 5;
  if (level === 'slow' && window.medianMs !== null) entry.first_token_ms = window.medianMs;
  if (level === 'slow' && window.usualMs !== null) entry.usual_ms = window.usualMs;
  return entry;
}

function worse(known: StatusIncidentModel, found: StatusIncidentModel): StatusIncidentModel {
  const entry = { ...found, ...known };
  const percent = Math.max(known.failed_percent ?? 0, found.failed_percent ?? 0);
  const milliseconds = Math.max(known.first_token_ms ?? 0, found.first_token_ms ?? 0);
  if (percent > 0) entry.failed_percent = percent;
  if (milliseconds > 0) entry.first_token_ms = milliseconds;
  return entry;
}

function isEqual(one: StatusIncidentModel, other: StatusIncidentModel): boolean {
  return one.failed_percent === other.failed_percent && one.first_token_ms === other.first_token_ms;
}
