import type { IncidentInput, StatusIncident, UpdateInput } from '#shared/status-page.ts';
import { momentOf, momentText } from '#pwa/ui/form/moment-text.ts';

/** Fields of an incident, as the form has them. */
export interface IncidentValues {
  kind: 'written' | 'maintenance';
  title_zh: string;
  title_en: string;
  models: string[];
  /** Of maintenance, in the zone of the device (`moment-text.ts`). */
  planned_from: string;
  planned_until: string;
}

export interface UpdateValues {
  state: UpdateInput['state'];
  text_zh: string;
  text_en: string;
}

const hourSeconds = 3600;

/** @param now unix seconds, of a new incident */
export function incidentValues(incident: StatusIncident | undefined, now: number): IncidentValues {
  const nextHour = Math.ceil(now / hourSeconds) * hourSeconds;
  const isPlanned = incident?.kind === 'maintenance';
  return {
    kind: isPlanned ? 'maintenance' : 'written',
    title_zh: incident?.title.zh ?? '',
    title_en: incident?.title.en ?? '',
    models: [...(incident?.models ?? [])],
    planned_from: momentText(isPlanned ? incident.started_at : nextHour),
    planned_until: momentText(isPlanned ? incident.planned_until : nextHour + hourSeconds),
  };
}

export function incidentBody({ kind, title_zh: zh, title_en: en, models, ...window }: IncidentValues): IncidentInput {
  const [from, until] = [momentOf(window.planned_from), momentOf(window.planned_until)];
  const planned = { ...(from === undefined ? {} : { planned_from: from }), ...(until === undefined ? {} : { planned_until: until }) };
  return { kind, title: { zh, en }, models, ...(kind === 'maintenance' ? planned : {}) };
}

export function updateBody({ state, text_zh: zh, text_en: en }: UpdateValues): UpdateInput {
  return { state, text: { zh, en } };
}
