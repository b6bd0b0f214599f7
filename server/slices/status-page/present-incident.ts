// Presents an incident to one visitor: only models that the visitor may see, and the figures of those.
import type { StatusIncident } from '#shared/status-page.ts';
import type { StatusIncidentRecord } from '#server/db/records/status-page.ts';

/** @returns null if it concerns none of the visitor's models; an incident without models concerns all */
export function presentIncident(incident: StatusIncidentRecord, sees: (model: string) => boolean): StatusIncident | null {
  const models = incident.models.filter(({ model }) => sees(model));
  if (incident.models.length > 0 && models.length === 0) return null;
  const { id, revision, kind, level, state, title, ended_at, planned_until } = incident;
  const isAutomatic = kind === 'automatic';
  // Times of its own of each model, which a visitor who sees one must not learn of the others.
  const from = isAutomatic ? Math.min(...models.map((one) => one.from)) : incident.started_at;
  const isOver = isAutomatic ? models.every(({ to }) => to !== undefined) : ended_at !== undefined;
  const end = isAutomatic && isOver ? Math.max(...models.map(({ to = 0 }) => to)) : ended_at;
  const shown: StatusIncident = {
    id,
    revision,
    kind,
    state: isAutomatic && isOver ? 'resolved' : state,
    title,
    models: models.map(({ model }) => model),
    started_at: from,
    updates: incident.updates.toReversed(),
  };
  if (level !== undefined) shown.level = level;
  if (isOver && end !== undefined) shown.ended_at = end;
  if (planned_until !== undefined) shown.planned_until = planned_until;
  const percent = Math.max(...models.map(({ failed_percent = 0 }) => failed_percent), 0);
  if (percent > 0) shown.failed_percent = percent;
  const slowest = models.toSorted((one, other) => (other.first_token_ms ?? 0) - (one.first_token_ms ?? 0))[0];
  if (slowest?.first_token_ms !== undefined) shown.first_token_ms = twoDigits(slowest.first_token_ms);
  if (slowest?.usual_ms !== undefined) shown.usual_ms = twoDigits(slowest.usual_ms);
  return shown;
}

function twoDigits(milliseconds: number): number {
  return milliseconds < 1 ? 0 : Number(milliseconds.toPrecision(2));
}
