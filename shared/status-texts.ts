// Sentences of the status page's feeds, which the server writes. The console has its own, in `pwa/i18n`.
import type { IncidentLevel, IncidentState, StatusIncident } from '#shared/status-page.ts';
import type { Language } from '#shared/errors.ts';

export const feedTexts: Record<Language, FeedTexts> = {
  zh: {
    title: '{name} 状态',
    description: '各模型的可用性与事件',
    down: '{models} 不可用',
    slow: '{models} 变慢',
    more: '{model} 等 {count} 个模型',
    failed: '约 {percent}% 的调用失败。',
    late: '首字 {now} 秒，平时 {usual} 秒。',
    ended: '已恢复，历时 {minutes} 分钟。',
    states: { planned: '已计划', investigating: '调查中', identified: '已定位', monitoring: '观察中', resolved: '已解决' },
  },
  en: {
    title: 'Status of {name}',
    description: 'Availability of models, and incidents',
    down: '{models} down',
    slow: '{models} slow',
    more: '{model} and {count} more',
    failed: 'About {percent}% of the calls failed.',
    late: 'First token {now} s instead of {usual} s.',
    ended: 'Recovered after {minutes} min.',
    states: {
      planned: 'Planned',
      investigating: 'Investigating',
      identified: 'Identified',
      monitoring: 'Monitoring',
      resolved: 'Resolved',
    },
  },
};

interface FeedTexts extends Record<IncidentLevel, string> {
  title: string;
  description: string;
  more: string;
  failed: string;
  late: string;
  ended: string;
  states: Record<IncidentState, string>;
}

/** Fills `{name}`; values are inserted once, so that a value never counts as a placeholder. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (values[name] === undefined ? whole : String(values[name])));
}

export function incidentTitle({ title, level, models }: StatusIncident, language: Language): string {
  if (level === undefined) return title[language];
  const [model = ''] = models;
  const { [level]: text, more } = feedTexts[language];
  return filled(text, {
    models: models.length <= 1 ? model : filled(more, { model, count: language === 'zh' ? models.length : models.length - 1 }),
  });
}

/** What the measures say, in sentences; empty of incidents that a person wrote. */
export function incidentSummary(incident: StatusIncident, language: Language): string {
  const { failed, late, ended } = feedTexts[language];
  const sentences: string[] = [];
  const { level, failed_percent: percent, first_token_ms: now, usual_ms: usual, started_at: from, ended_at: to } = incident;
  if (level === 'down' && percent !== undefined) sentences.push(filled(failed, { percent }));
  if (level === 'slow' && now !== undefined && usual !== undefined) sentences.push(filled(late, { now: now / 1000, usual: usual / 1000 }));
  if (level !== undefined && to !== undefined) sentences.push(filled(ended, { minutes: Math.max(1, Math.round((to - from) / 60)) }));
  return sentences.join(language === 'zh' ? '' : ' ');
}
