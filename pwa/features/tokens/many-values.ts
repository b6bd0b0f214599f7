// What the panel that changes many tokens holds and sends: only the parts that were switched on.
import { quotaLimit } from '#shared/user.ts';
import type { TokensEdit } from '#shared/tokens.ts';
import { budgetsOf, ratesOf } from '#pwa/records/limits/limit-drafts.ts';
import { createBody, emptyToken, tokenProblems, type TokenProblem, type TokenValues } from './token-form.ts';

export const manyParts = ['quota', 'refill', 'expiry', 'models', 'group', 'ips', 'session_budget', 'rate_limits', 'budgets'] as const;
export type ManyPart = (typeof manyParts)[number];

export interface ManyValues extends TokenValues {
  parts: readonly ManyPart[];
  /** Quota units. */
  refill: number | '';
}

export const emptyMany: ManyValues = { ...emptyToken, model_limits_enabled: true, parts: [], refill: '' };

/** The fields of each part, as the server names them. */
const fieldsOf = {
  quota: ['unlimited_quota', 'remain_quota'],
  refill: ['refill'],
  expiry: ['expired_time'],
  models: ['model_limits_enabled', 'model_limits'],
  group: ['group'],
  ips: ['allow_ips'],
  session_budget: ['session_budget'],
  rate_limits: ['rate_limits'],
  budgets: ['budgets'],
} as const satisfies Record<ManyPart, readonly (keyof ManyValues)[]>;

/** A part switched on or off: a balance is either set or added to. */
export function withPart(parts: readonly ManyPart[], part: ManyPart, isOn: boolean): ManyPart[] {
  const other = part === 'quota' ? 'refill' : part === 'refill' ? 'quota' : undefined;
  const others = parts.filter((one) => one !== part && !(isOn && one === other));
  return isOn ? [...others, part] : others;
}

export type ManyProblem = TokenProblem | 'refill_required';

/** What is wrong with the parts that are on, by field. */
export function manyProblems(values: ManyValues, now: number): Partial<Record<keyof ManyValues, ManyProblem>> {
  const found: Partial<Record<keyof ManyValues, ManyProblem>> = tokenProblems(values, { now });
  const { refill } = values;
  if (refill === '' || refill <= 0 || refill > quotaLimit) found.refill = 'refill_required';
  const shown = values.parts.flatMap((part): readonly (keyof ManyValues)[] => fieldsOf[part]);
  return Object.fromEntries(shown.flatMap((field) => (found[field] === undefined ? [] : [[field, found[field]]])));
}

/** The edit without its name. */
export function manyBody(ids: readonly number[], values: ManyValues): Omit<TokensEdit, 'ref'> {
  const { expired_time, unlimited_quota, remain_quota, model_limits_enabled, model_limits = '', allow_ips, group } = createBody(values);
  const { parts, refill, session_budget: budget } = values;
  const isOn = (part: ManyPart): boolean => parts.includes(part);
  return {
    ids: [...ids],
    ...(isOn('quota') ? (unlimited_quota === true ? { unlimited_quota } : { unlimited_quota, remain_quota }) : {}),
    ...(isOn('refill') && refill !== '' ? { refill } : {}),
    ...(isOn('expiry') ? { expired_time } : {}),
    ...(isOn('models') ? { model_limits_enabled, model_limits: model_limits_enabled === true ? model_limits : '' } : {}),
    ...(isOn('group') ? { group } : {}),
    ...(isOn('ips') ? { allow_ips: allow_ips ?? '' } : {}),
    ...(isOn('session_budget') ? { session_budget: budget === '' ? 0 : budget } : {}),
    ...(isOn('rate_limits') ? { rate_limits: ratesOf(values.rate_limits) } : {}),
    ...(isOn('budgets') ? { budgets: budgetsOf(values.budgets) } : {}),
  };
}
