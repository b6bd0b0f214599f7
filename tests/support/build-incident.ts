import type { StatusIncidentRecord } from '#server/db/records/status-page.ts';

/** An open incident of all models that a person wrote. */
export function buildIncident(fields: Partial<StatusIncidentRecord> = {}): StatusIncidentRecord {
  return {
    id: 1,
    revision: 1,
    kind: 'written',
    state: 'investigating',
    open: 1,
    started_at: 1_700_000_000,
    title: { zh: '部分调用变慢', en: 'Some calls are slow' },
    models: [],
    updates: [],
    ...fields,
  };
}
