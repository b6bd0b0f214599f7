// Changes an incident by its revision: the job and administrators change the same ones.
import { AppError } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { StatusIncidentRecord } from '#server/db/records/status-page.ts';

interface IncidentChange {
  set: Partial<Omit<StatusIncidentRecord, 'id' | 'revision'>>;
  unset: readonly ('open' | 'ended_at' | 'planned_until')[];
}

const tries = 20;

/**
 * Computes the change from the stored incident, again if another one came first; null changes nothing. Returns the incident, or null if there is none.
 * @throws {AppError} `revision_conflict` if other changes come first each time
 */
export async function changeIncident(
  { db }: Pick<AppContext, 'db'>,
  id: number,
  change: (incident: StatusIncidentRecord) => IncidentChange | null,
): Promise<StatusIncidentRecord | null> {
  const incidents = db.collection('status_incidents');
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const incident = await incidents.get(id);
    if (incident === null) return null;
    const wanted = change(incident);
    if (wanted === null) return incident;
    const after = await incidents.patch({ id, revision: incident.revision }, { ...wanted, increment: { revision: 1 } });
    if (after !== null) return after;
  }
  throw new AppError('revision_conflict');
}
