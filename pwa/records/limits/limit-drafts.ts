// Rate limits and budgets as a form holds them, what is wrong with them, and what is stored.
import { z } from 'zod/mini';
import { type Budget, budgetEnds, type BudgetPeriodName, budgetPeriods, type SiteBudget, usualNotes } from '#shared/budgets.ts';
import { type CountedBy, countedBy, LimitedModels } from '#shared/limit-models.ts';
import {
  callMeters,
  type RateLimit,
  rateLimitKey,
  type RateWindow,
  rateWindows,
  type SiteRateLimit,
  windowMeters,
} from '#shared/rate-limits.ts';

export const meters = [...windowMeters, ...callMeters] as const;
export type Meter = (typeof meters)[number];

interface Scope {
  /** Empty: all models. */
  models: string[];
  /** Of the site; empty: all groups. */
  groups: string[];
  counted: CountedBy;
}

export interface BudgetDraft extends Scope {
  id: string;
  name: string;
  /** Quota; '' : nothing entered. */
  amount: number | '';
  period: BudgetPeriodName;
  starts: 'calendar' | 'first_call';
  /** Empty: UTC. */
  time_zone: string;
  at_end: Budget['at_end'];
  cheaper: { from: string; to: string }[];
  notes: number[];
}

export interface RateDraft extends Scope {
  /** Identity in the form. */
  id: string;
  meter: Meter;
  /** Without effect on meters of calls. */
  per: RateWindow;
  amount: number | '';
}

export function isWindowMeter(meter: Meter): meter is (typeof windowMeters)[number] {
  return windowMeters.some((one) => one === meter);
}

/** Periods that begin by the calendar, if the budget says so. */
export function hasCalendar(period: BudgetPeriodName): boolean {
  return period !== 'once' && period !== 'five_hours';
}

export function newBudget(taken: readonly { id: string }[], timeZone: string): BudgetDraft {
  return {
    id: freeId(taken),
    name: '',
    amount: '',
    period: 'month',
    starts: 'calendar',
    time_zone: timeZone,
    at_end: 'stop',
    cheaper: [],
    notes: [...usualNotes],
    ...everywhere(),
  };
}

export function newRate(taken: readonly RateDraft[]): RateDraft {
  return { id: freePlace(taken), meter: 'requests', per: 'minute', amount: '', ...everywhere() };
}

export function budgetDrafts(budgets: readonly (Budget | SiteBudget)[] = []): BudgetDraft[] {
  return budgets.map((budget) => ({
    id: budget.id,
    name: budget.name ?? '',
    amount: budget.amount,
    period: budget.period,
    starts: budget.starts,
    time_zone: budget.time_zone ?? '',
    at_end: budget.at_end,
    cheaper: Object.entries(budget.cheaper_models ?? {}).map(([from, to]) => ({ from, to })),
    notes: [...(budget.notes ?? usualNotes)],
    ...scopeOf(budget),
  }));
}

export function rateDrafts(limits: readonly (RateLimit | SiteRateLimit)[] = []): RateDraft[] {
  return limits.map((limit, index) => ({
    id: `stored${index}`,
    meter: limit.meter,
    per: 'per' in limit ? limit.per : 'minute',
    amount: limit.amount,
    ...scopeOf(limit),
  }));
}

/** Budgets as they are stored; an amount that is not entered is 1. */
export function budgetsOf(drafts: readonly BudgetDraft[]): Budget[] {
  return drafts.map((draft) => {
    const isByCalendar = hasCalendar(draft.period) && draft.starts === 'calendar';
    const notes = draft.notes.toSorted((a, b) => a - b);
    return {
      id: draft.id,
      ...(draft.name.trim() === '' ? {} : { name: draft.name.trim() }),
      amount: draft.amount === '' ? 1 : draft.amount,
      period: draft.period,
      starts: draft.period === 'once' || isByCalendar ? 'calendar' : 'first_call',
      ...(isByCalendar && draft.time_zone.trim() !== '' ? { time_zone: draft.time_zone.trim() } : {}),
      at_end: draft.at_end,
      ...(draft.at_end === 'cheaper' ? { cheaper_models: cheaperModels(draft) } : {}),
      ...modelsOf(draft),
      ...(notes.join() === usualNotes.join() ? {} : { notes }),
    };
  });
}

export function ratesOf(drafts: readonly RateDraft[]): RateLimit[] {
  return drafts.map(({ meter, per, amount: entered, ...draft }) => {
    const amount = entered === '' ? 1 : entered;
    return isWindowMeter(meter) ? { meter, per, amount, ...modelsOf(draft) } : { meter, amount, ...modelsOf(draft) };
  });
}

/** Text of the setting; an amount that is not entered is `null`, which cannot be saved. */
export function siteBudgetsText(drafts: readonly BudgetDraft[]): string {
  return textOf(budgetsOf(drafts).map((budget, index) => ({ ...budget, ...siteFields(drafts[index]) })));
}

export function siteRatesText(drafts: readonly RateDraft[]): string {
  return textOf(ratesOf(drafts).map((limit, index) => ({ ...limit, ...siteFields(drafts[index]) })));
}

/** Undefined: the text is being typed and no list yet. */
export function siteBudgetDrafts(text: string): BudgetDraft[] | undefined {
  const parsed = z.safeParse(z.array(LooseBudget), jsonOf(text));
  return parsed.success
    ? parsed.data.map(({ cheaper_models: cheaper = {}, ...draft }) => ({
        ...draft,
        cheaper: Object.entries(cheaper).map(([from, to]) => ({ from, to })),
      }))
    : undefined;
}

export function siteRateDrafts(text: string): RateDraft[] | undefined {
  const parsed = z.safeParse(z.array(LooseRate), jsonOf(text));
  return parsed.success ? parsed.data.map((draft, index) => ({ ...draft, id: `stored${index}` })) : undefined;
}

export type LimitProblem =
  | 'amount_required'
  | 'amount_low'
  | 'amount_high'
  | 'name_long'
  | 'zone'
  | 'models'
  | 'cheaper_required'
  | 'cheaper_chain'
  | 'twice';

type Problems<Draft> = Partial<Record<keyof Draft, LimitProblem>>;

/** What is wrong with a budget, by field. */
export function budgetProblems(draft: BudgetDraft): Problems<BudgetDraft> {
  const problems: Problems<BudgetDraft> = amountProblem(draft.amount, Number.MAX_SAFE_INTEGER);
  if (Array.from(draft.name.trim()).length > 40) problems.name = 'name_long';
  if (hasCalendar(draft.period) && draft.starts === 'calendar' && !isTimeZone(draft.time_zone.trim())) problems.time_zone = 'zone';
  if (!areModels(draft.models)) problems.models = 'models';
  if (draft.at_end === 'cheaper') {
    const map = cheaperModels(draft);
    const entries = Object.entries(map);
    if (entries.length === 0 || entries.some(([from, to]) => from === '' || to === '')) problems.cheaper = 'cheaper_required';
    else if (entries.some(([, to]) => Object.hasOwn(map, to))) problems.cheaper = 'cheaper_chain';
  }
  return problems;
}

/** What is wrong with a rate limit among the others, by field. */
export function rateProblems(draft: RateDraft, all: readonly RateDraft[]): Problems<RateDraft> {
  const problems: Problems<RateDraft> = amountProblem(draft.amount, 1_000_000_000_000);
  if (!areModels(draft.models)) problems.models = 'models';
  const first = all.find((other) => rateDraftKey(other) === rateDraftKey(draft));
  if (first !== undefined && first.id !== draft.id) problems.meter = 'twice';
  return problems;
}

export function areBudgetsRight(drafts: readonly BudgetDraft[]): boolean {
  return drafts.every((draft) => isEmpty(budgetProblems(draft)));
}

export function areRatesRight(drafts: readonly RateDraft[]): boolean {
  return drafts.every((draft) => isEmpty(rateProblems(draft, drafts)));
}

/** Whether an edit changes the stored list. */
export function changesBudgets(drafts: readonly BudgetDraft[], before: readonly Budget[] = []): boolean {
  return JSON.stringify(budgetsOf(drafts)) !== JSON.stringify(budgetsOf(budgetDrafts(before)));
}

export function changesRates(drafts: readonly RateDraft[], before: readonly RateLimit[] = []): boolean {
  return JSON.stringify(ratesOf(drafts)) !== JSON.stringify(ratesOf(rateDrafts(before)));
}

const LooseScope = {
  models: z._default(z.array(z.string()), []),
  groups: z._default(z.array(z.string()), []),
  counted: z._default(z.enum(countedBy), 'user'),
};
const LooseAmount = z.pipe(
  z.nullish(z.number()),
  z.transform((amount): number | '' => amount ?? ''),
);
const LooseBudget = z.object({
  id: z.string(),
  name: z._default(z.string(), ''),
  amount: LooseAmount,
  period: z.enum(budgetPeriods),
  starts: z._default(z.enum(['calendar', 'first_call']), 'calendar'),
  time_zone: z._default(z.string(), ''),
  at_end: z._default(z.enum(budgetEnds), 'stop'),
  cheaper_models: z.optional(z.record(z.string(), z.string())),
  notes: z._default(z.array(z.number()), [...usualNotes]),
  ...LooseScope,
});
const LooseRate = z.object({ meter: z.enum(meters), per: z._default(z.enum(rateWindows), 'minute'), amount: LooseAmount, ...LooseScope });

function everywhere(): Scope {
  return { models: [], groups: [], counted: 'user' };
}

function scopeOf(limit: { models?: readonly string[] | undefined; groups?: readonly string[] | undefined; counted?: CountedBy }): Scope {
  return { models: [...(limit.models ?? [])], groups: [...(limit.groups ?? [])], counted: limit.counted ?? 'user' };
}

function modelsOf({ models }: Pick<Scope, 'models'>): { models?: string[] } {
  return models.length === 0 ? {} : { models: [...models] };
}

function siteFields(draft: (Scope & { amount: number | '' }) | undefined): object {
  if (draft === undefined) return {};
  return {
    ...(draft.amount === '' ? { amount: null } : {}),
    ...(draft.groups.length === 0 ? {} : { groups: draft.groups }),
    counted: draft.counted,
  };
}

function cheaperModels({ cheaper }: Pick<BudgetDraft, 'cheaper'>): Record<string, string> {
  return Object.fromEntries(cheaper.map(({ from, to }) => [from.trim(), to.trim()]));
}

/** Identity of the limit that a draft stands for, among those of its list. */
export function rateDraftKey(draft: RateDraft): string {
  const [limit] = ratesOf([draft]);
  if (limit === undefined) return draft.id;
  return rateLimitKey({ ...limit, ...(draft.groups.length === 0 ? {} : { groups: draft.groups }), counted: draft.counted });
}

function amountProblem(amount: number | '', largest: number): { amount?: LimitProblem } {
  if (amount === '') return { amount: 'amount_required' };
  if (amount < 1) return { amount: 'amount_low' };
  return amount > largest ? { amount: 'amount_high' } : {};
}

function areModels(models: readonly string[]): boolean {
  return models.length === 0 || z.safeParse(LimitedModels, models).success;
}

function isTimeZone(name: string): boolean {
  if (name === '') return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

function isEmpty(problems: object): boolean {
  return Object.keys(problems).length === 0;
}

function textOf(list: readonly object[]): string {
  return JSON.stringify(list, null, 2);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.trim() === '' ? '[]' : text);
  } catch {
    return undefined;
  }
}

/** Place in the list, as an identity that no other has. */
function freePlace(taken: readonly { id: string }[]): string {
  let place = taken.length;
  while (taken.some(({ id }) => id === `stored${place}`)) place += 1;
  return `stored${place}`;
}

/** Eight letters and digits that no other has. */
function freeId(taken: readonly { id: string }[]): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => letters[byte % letters.length]).join('');
  return taken.some((one) => one.id === id) ? freeId(taken) : id;
}
