// Status page: availability and first token of each model over 90 days, incidents, and their updates. For the public or members; off by default.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';

/** `unknown`: there were no calls to judge by. */
export const StatusState = z.enum(['operational', 'slow', 'down', 'unknown']);
export type StatusState = z.infer<typeof StatusState>;

export const IncidentLevel = z.enum(['slow', 'down']);
export type IncidentLevel = z.infer<typeof IncidentLevel>;

export const IncidentState = z.enum(['planned', 'investigating', 'identified', 'monitoring', 'resolved']);
export type IncidentState = z.infer<typeof IncidentState>;

/** Group of models that the screen filters by. */
export const StatusKind = z.enum(['chat', 'embedding', 'image', 'audio', 'other']);
export type StatusKind = z.infer<typeof StatusKind>;

/** Days of the history, today included. Days are of UTC for all visitors: they have 24 hours each. */
export const statusDays = 90;
export const statusHours = 24;
/** Seconds after which the page is worth reading again. */
export const statusSeconds = 30;
/** Bounds of what administrators write. */
export const statusLimits = { title: 200, text: 2000, models: 200, updates: 100, open: 100 } as const;

/** Letters of `StatusModel.days`. */
export const dayLetters = { '-': 'unknown', o: 'operational', s: 'slow', d: 'down' } as const satisfies Record<string, StatusState>;
export type DayLetter = keyof typeof dayLetters;

export const StatusModel = z.object({
  model: z.string(),
  kind: StatusKind,
  state: StatusState,
  /** Unix seconds; of models that are down or slow. */
  since: z.optional(z.int()),
  /** One of `dayLetters` for each day, the oldest first. */
  days: z.string(),
  /** Days on which the model was down or slow, or calls failed, by their index. `up`: per cent of calls that were answered; absent if there were few. */
  marks: z.array(z.object({ day: z.int(), up: z.optional(z.number()), down_minutes: z.int(), slow_minutes: z.int() })),
  /** Per cent of the calls of all days that were answered; absent if there were few. */
  up: z.optional(z.number()),
  /** First token of the last hour, milliseconds; absent if there were few calls. */
  p50: z.optional(z.int()),
  p95: z.optional(z.int()),
  /** Median of the first token of each of the last 24 hours, milliseconds; null without enough calls. */
  hours: z.array(z.nullable(z.int())),
  /** Only for administrators: visitors do not see the model. */
  is_hidden: z.optional(z.boolean()),
});
export type StatusModel = z.infer<typeof StatusModel>;

/** In one language or both. */
const Texts = z.object({ zh: z.string(), en: z.string() });
export type StatusTexts = z.infer<typeof Texts>;

export const StatusIncident = z.object({
  id: z.int(),
  kind: z.enum(['automatic', 'written', 'maintenance']),
  level: z.optional(IncidentLevel),
  state: IncidentState,
  /** Empty of automatic incidents, which are named by their models and level. */
  title: Texts,
  /** Those that the visitor may see; none: all models. */
  models: z.array(z.string()),
  /** Unix seconds. */
  started_at: z.int(),
  ended_at: z.optional(z.int()),
  planned_until: z.optional(z.int()),
  /** Largest share of calls that failed, rounded to 5. */
  failed_percent: z.optional(z.int()),
  /** Longest median of the first token, and the usual one, milliseconds. */
  first_token_ms: z.optional(z.int()),
  usual_ms: z.optional(z.int()),
  /** The newest first. */
  updates: z.array(z.object({ id: z.int(), at: z.int(), state: IncidentState, text: Texts })),
  /** For edits. */
  revision: z.int(),
});
export type StatusIncident = z.infer<typeof StatusIncident>;

export const StatusPage = z.object({
  /** Time of the measures, unix seconds. */
  at: z.int(),
  /** Start of the first day (UTC), unix seconds. */
  first_day: z.int(),
  /** Those that are down come first, then those that are slow, then by name. */
  models: z.array(StatusModel),
  /** Open incidents and maintenance to come, the newest first. */
  current: z.array(StatusIncident),
  /** The newest that have ended. */
  past: z.array(StatusIncident),
  /** Whether there are more that have ended. */
  has_more: z.boolean(),
});
export type StatusPage = z.infer<typeof StatusPage>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });
const Seconds = z.int().check(z.minimum(0), z.maximum(99_999_999_999));

const textsUpTo = (most: number) => {
  const Text = z.string().check(z.trim(), z.maxLength(most));
  return z.object({ zh: Text, en: Text }).check(z.refine(({ zh, en }) => zh !== '' || en !== ''));
};

const Models = z.array(z.string().check(z.minLength(1), z.maxLength(200))).check(z.maxLength(statusLimits.models));

export const IncidentInput = z.object({
  kind: z.enum(['written', 'maintenance']),
  title: textsUpTo(statusLimits.title),
  /** None: all models. */
  models: Models,
  /** Of maintenance: the planned window. */
  planned_from: z.optional(Seconds),
  planned_until: z.optional(Seconds),
});
export type IncidentInput = z.infer<typeof IncidentInput>;

export const UpdateInput = z.object({ state: IncidentState, text: textsUpTo(statusLimits.text) });
export type UpdateInput = z.infer<typeof UpdateInput>;

const audited = { kind: 'incident', by: 'call' } as const;

export const statusApi = {
  page: endpoint('GET', '/api/status/page', {
    access: 'optional',
    reply: StatusPage,
    summary: 'Status page: state, availability and first token of models; incidents',
  }),
  /** The newest first. */
  incidents: endpoint('GET', '/api/status/incident', {
    access: 'optional',
    query: z.object({ before: z.optional(z.string().check(z.regex(/^\d{1,15}$/))) }),
    reply: z.object({ incidents: z.array(StatusIncident), has_more: z.boolean() }),
    summary: 'Incidents of the status page that have ended',
  }),
  create: endpoint('POST', '/api/status/incident', {
    access: 'admin',
    audit: { ...audited, action: 'created' },
    body: z.extend(IncidentInput, { update: UpdateInput }),
    reply: StatusIncident,
    summary: 'Publish an incident or maintenance on the status page',
  }),
  edit: endpoint('PUT', '/api/status/incident/:id', {
    access: 'admin',
    audit: { ...audited, action: 'changed', object: 'id' },
    params: IdParam,
    body: z.extend(IncidentInput, { revision: z.int() }),
    reply: StatusIncident,
    summary: 'Change a written incident or maintenance',
  }),
  update: endpoint('POST', '/api/status/incident/:id/update', {
    access: 'admin',
    audit: { ...audited, action: 'changed', object: 'id' },
    params: IdParam,
    body: z.extend(UpdateInput, { revision: z.int() }),
    reply: StatusIncident,
    summary: 'Add an update to an incident',
  }),
  remove: endpoint('DELETE', '/api/status/incident/:id', {
    access: 'admin',
    audit: { ...audited, action: 'deleted', object: 'id' },
    params: IdParam,
    summary: 'Delete an incident of the status page',
  }),
};

/** Addresses of the feeds, below the console's base path. */
export const statusFeeds = { rss: '/status.rss', json: '/status.json' } as const;
