// Reserves the maximum cost of a call: its prompt and its largest response. If the account has less, all of it is reserved, and
// the output limit that it pays for is sent upstream, so that the response ends with `length` instead of a debt.
import { AppError } from '#shared/errors.ts';
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import { quotaText } from '#shared/quota.ts';
import type { CacheWriteClass } from '#shared/token-usage.ts';
import type { CallParameters } from '#server/formats/client-dialect.ts';
import { type Made, mostPromptTokens, type PromptContent } from '#server/formats/prompt-content.ts';
import { marksPrompts } from '#server/formats/prompt-marks.ts';
import { type AccountKind, balanceOf } from '#server/money/account.ts';
import { type BudgetAccount, BudgetReached } from '#server/money/budgets.ts';
import type { Refusal } from '#server/money/leases/lease.ts';
import { promptRatio, type QuotedPrice, type Quotes } from '#server/money/quote.ts';
import type { ReserveResult } from '#server/money/leases/reservations.ts';
import type { Reservation } from '#server/money/leases/reservation.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import type { CallSettlement } from '#server/call/settlement/call-settlement.ts';
import type { PromptBasis } from '#server/call/settlement/learned-usage.ts';
import { type AdmittedRequest, largestOnRoutes, possibleRoutes } from '#server/call/admission/possible-routes.ts';
import { costliestTier } from '#server/call/admission/costliest-tier.ts';
import { type Output, outputOf } from '#server/call/admission/expected-output.ts';
import { type ReservedTools, reservedTools, withoutTools } from '#server/call/admission/reserved-tools.ts';
import type { RelayServices } from '#server/call/services.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { countPrompt, estimateTextTokens } from '#server/exchange/token-estimate.ts';

export interface CallToReserve extends AdmittedRequest {
  body: RelayBody;
  parameters: CallParameters;
  /** Content of the prompt, if already read. */
  prompt: PromptContent | null;
  quoted: QuotedPrice;
  /** Whether the response would be wrong without its tools. If undefined, they may be removed. */
  needsTools?: boolean;
}

export interface ReservedCall {
  /** Price of the reservation and the charge. */
  quoted: QuotedPrice;
  reservation: Reservation;
  prompt: ExpectedPrompt;
  /** Limit of each choice that is sent upstream, because the account pays for no more. If undefined, it pays for all. */
  outputBound: number | undefined;
  /** Maximum limit of each choice that may be sent upstream: the client's, or the one that the account pays for. */
  choiceLimit: number | undefined;
  /** Number of choices, on the route with the most. */
  choices: number;
  /** Reserved output tokens of all choices. */
  outputMost: number;
  /** Quota that most such calls cost at most. */
  expected: number;
  /** Output limit of all choices that is sent upstream, set by the client or the gateway. If undefined, none. */
  outputLimit: number | undefined;
}

export interface ExpectedPrompt extends ReservedTools {
  /** Expected tokens before any correction. */
  expected: number;
  /** Expected tokens, corrected by experience with the model. */
  tokens: number;
  /** Maximum tokens, which are reserved if the account can pay for them. */
  most: number;
  cacheWrite: CacheWriteClass | null;
  audio: number;
  audioMost: number;
  image?: number;
  imageMost?: number;
  isSpoken: boolean;
  /** Maximum units of a price per call. If undefined, one call. */
  units?: CallUnits;
  /** Minimum units that the account must pay for. If undefined, all. */
  leastUnits?: CallUnits;
  /** Output tokens of generated media. If undefined, the response is text. */
  made?: number;
  /** Maximum requests of the call, each with the whole prompt. If undefined, one. */
  requests?: number;
  /** Most expensive service tier that the call may use. If undefined, the default. */
  tier?: string;
  basis: PromptBasis;
}

/** Number of such calls that an account must be able to pay for so that estimates suffice. */
const ampleCalls = 20;
/** Maximum characters of a prompt that are counted for an account with a low balance. */
const countedCharacters = 256 * 1024;
/** Unknown images and files may be larger than the estimate by this factor. */
const unknownMedia = 4;

/**
 * Reserves for a call. Synchronous if the account can pay for many such calls and the leases suffice.
 * @throws {AppError} `insufficient_user_quota`, `pre_consume_token_quota_failed`, `key_exhausted`, `budget_reached`, `budget_used_up`
 * @throws {DatabaseUnavailable}
 */
export function reserveCall(services: RelayServices, call: CallToReserve): ReservedCall | Promise<ReservedCall> {
  const { quotes } = services.context;
  const prompt = promptByEstimate(services, call);
  const output = outputOf(services, call, prompt);
  const usual = quotes.reserveFor(call.quoted, prompt, output.most);
  const budgets = ampleBudgets(services, call, usual * ampleCalls);
  if (budgets !== null) return reserveFor(services, call, { output, prompt, usual, budgets });
  return promptByCount(services, call, prompt).then((counted) => reserveFor(services, call, { output, prompt: counted }));
}

/** Maximum cost of a call, by an estimate. */
export interface LargestCost {
  /** Quota. */
  amount: number;
  /** Tools that it includes. */
  hosted: HostedCalls | undefined;
  /** Expected tokens of the input, and with those that most answers have. */
  input: number;
  tokens: number;
}

/** Reserves nothing. */
export function largestCost(services: RelayServices, call: CallToReserve): LargestCost {
  const prompt = promptByEstimate(services, call);
  const { most, least } = outputOf(services, call, prompt);
  const input = prompt.tokens;
  return { amount: costOf(services, call, prompt, most), hosted: prompt.hosted, input, tokens: input + least };
}

/** Returns the amount to reserve, with upper bounds for images and files; the excess is released when the call is settled. */
export function costOf(
  { context }: RelayServices,
  { quoted }: Pick<CallToReserve, 'quoted'>,
  prompt: ExpectedPrompt,
  outputMost: number,
): number {
  const { most, audioMost, imageMost = 0 } = prompt;
  return context.quotes.reserveFor(quoted, { ...prompt, tokens: most, audio: audioMost, image: imageMost }, outputMost);
}

/** Reports whether the maximum of the prompt equals its expected size. */
function isCertain({ tokens, most, audio, audioMost, image = 0, imageMost = 0 }: ExpectedPrompt): boolean {
  return most === tokens && audioMost === audio && imageMost === image;
}

/** @param usual cost with the expected size of the prompt, if already computed @param budgets budgets of the call, if known */
function reserveFor(
  services: RelayServices,
  call: CallToReserve,
  {
    output,
    prompt: requested,
    usual,
    budgets,
  }: { output: Output; prompt: ExpectedPrompt; usual?: number; budgets?: readonly BudgetAccount[] },
): ReservedCall | Promise<ReservedCall> {
  const { quotes } = services.context;
  const { admission, quoted } = call;
  const amount = usual !== undefined && isCertain(requested) ? usual : costOf(services, call, requested, output.most);
  let smallest = requested.leastUnits === undefined ? requested : { ...requested, units: requested.leastUnits };
  if (requested.hosted !== undefined && call.needsTools !== true) smallest = withoutTools(smallest);
  const least = Math.min(amount, quotes.reserveFor(quoted, smallest, output.least));
  const reserving = reserveQuota(services, admission, { model: call.model, amount, least }, budgets);
  const bounded = (reservation: Reservation): ReservedCall => {
    const { choices, named } = output;
    const has = reservation.amount;
    const prompt = has >= amount ? requested : payable(quotes, quoted, requested, { has, least: output.least });
    const paid = has >= amount ? output.most : quotes.affordable(quoted, prompt, { has, most: output.most });
    const outputBound = paid < output.most && call.endpoint.kind.isWritten ? Math.max(1, Math.floor(paid / choices)) : undefined;
    const limit = Math.min(outputBound ?? Infinity, named > 0 ? named : Infinity);
    const choiceLimit = limit === Infinity ? undefined : limit;
    const outputLimit = choiceLimit === undefined ? undefined : choiceLimit * choices;
    return { quoted, reservation, prompt, choices, outputMost: paid, outputBound, choiceLimit, outputLimit, expected: least };
  };
  return reserving instanceof Promise ? reserving.then(bounded) : bounded(reserving);
}

/** Removes the provider's tools from a call whose account cannot pay for them in addition to a minimal response. */
function payable(
  quotes: Quotes,
  quoted: QuotedPrice,
  prompt: ExpectedPrompt,
  { has, least }: { has: number; least: number },
): ExpectedPrompt {
  return prompt.hosted === undefined || quotes.reserveFor(quoted, prompt, least) <= has ? prompt : withoutTools(prompt);
}

/**
 * Reserves an amount, down to `least`, from the balances and the budgets. Synchronous while the leases suffice.
 * @param model model of the call, by its caller's name; undefined for a reservation that is never charged, which concerns no budget
 * @param found budgets of the call, if known
 * @throws {AppError} as `reserveCall`
 */
export function reserveQuota(
  services: RelayServices,
  admission: Admission,
  { model, amount, least }: { model: string | undefined; amount: number; least: number },
  found?: readonly BudgetAccount[],
): Reservation | Promise<Reservation> {
  const { context } = services;
  const { user, token } = admission;
  const isBound = model !== undefined && (admission.isLimited || context.budgets.isOfSite);
  const budgets = found ?? (isBound ? context.budgets.of(admission, model) : none);
  if (budgets instanceof Promise) return budgets.then((known) => reserveQuota(services, admission, { model, amount, least }, known));
  const limited = token === null ? null : { id: token.id, isLimited: !token.unlimited_quota };
  const reserving = context.ledger.reserve({ userId: user.id, token: limited, budgets, amount, least });
  return reserving instanceof Promise
    ? reserving.then((result) => reservationOf(context, result, budgets))
    : reservationOf(context, reserving, budgets);
}

const none: readonly BudgetAccount[] = [];

function reservationOf(context: RelayServices['context'], result: ReserveResult, budgets: readonly BudgetAccount[]): Reservation {
  if ('refusal' in result) throw refusedBy(context, result.refusal, budgets);
  return result.reservation;
}

function refusedBy(context: RelayServices['context'], refusal: Refusal, budgets: readonly BudgetAccount[]): AppError {
  const { account, balance } = refusal;
  const budget = account.kind === 'budget' ? budgets.find(({ id }) => id === account.id) : undefined;
  return budget === undefined ? refusedMoney(context, refusal) : new BudgetReached(context, budget, balance);
}

/** Returns the budgets of the call if they and the account have that quota, by what is cached. Only decides whether an estimate suffices. */
function ampleBudgets({ context }: RelayServices, { admission, model }: CallToReserve, quota: number): readonly BudgetAccount[] | null {
  const { user, token } = admission;
  if (balanceOf(user) < quota || (token !== null && !token.unlimited_quota && balanceOf(token) < quota)) return null;
  if (!admission.isLimited && !context.budgets.isOfSite) return none;
  const budgets = context.budgets.of(admission, model);
  if (budgets instanceof Promise) return null;
  for (const budget of budgets) if (budget.isHard && (context.ledger.left({ kind: 'budget', id: budget.id }) ?? 0) < quota) return null;
  return budgets;
}

/** Estimates the prompt, without counting its tokens. */
export function promptByEstimate(services: RelayServices, call: CallToReserve): ExpectedPrompt {
  const { endpoint, model, body, prompt, quoted } = call;
  const routes = (call.routes ??= possibleRoutes(services, call));
  const content = prompt ?? endpoint.promptContent(body, model);
  const { texts, fixed, media, audio, audioMost, image, imageMost, isSpoken } = content;
  const made = content.made === undefined ? undefined : madeBy(services, call, content.made);
  const units = made?.units ?? (content.units === undefined ? undefined : unitsOf(services, call, content.units));
  const requests = made?.requests ?? 1;
  let expected = fixed;
  for (let index = 0; index < texts.length; index += 1) expected += estimateTextTokens(texts[index] ?? '');
  expected *= requests;
  const basis = media > 0 ? 'media' : 'estimated';
  const reckoned = reckon(services.settlement, call, { expected, basis, content, requests });
  const { tokens, most } = reckoned;
  const cacheWrite = cacheWriteOf(services, call, content);
  const reserved: ExpectedPrompt = { expected, basis, tokens, most, cacheWrite, audio, audioMost, isSpoken };
  if (image !== undefined && imageMost !== undefined) Object.assign(reserved, { image: requests * image, imageMost: requests * imageMost });
  if (units !== undefined) reserved.units = units;
  if (made !== undefined) Object.assign(reserved, { made: made.tokens, requests });
  if (made?.leastUnits !== undefined) reserved.leastUnits = made.leastUnits;
  if (quoted.price.kind === 'usage' && quoted.price.tiers !== undefined) Object.assign(reserved, costliestTier(services, call, routes));
  const tools = reservedTools(services, call, { hosted: content.hosted, isWritten: endpoint.kind.isWritten });
  return tools === undefined ? reserved : Object.assign(reserved, tools);
}

/** Returns the most expensive of the results on the possible channels. */
function madeBy(services: RelayServices, call: CallToReserve, made: NonNullable<PromptContent['made']>): Made {
  let { units, tokens, requests = 1, leastUnits } = made({ upstreamModel: call.model, paramOverride: null });
  for (const route of possibleRoutes(services, call)) {
    const there = made(route);
    if (there.units.count * (there.units.factor ?? 1) > units.count * (units.factor ?? 1)) ({ units, leastUnits } = there);
    tokens = Math.max(tokens, there.tokens);
    requests = Math.max(requests, there.requests ?? 1);
  }
  return { units, tokens, requests, leastUnits };
}

/** Returns the units if one of the possible channels bills by them. */
function unitsOf(services: RelayServices, call: CallToReserve, units: CallUnits): CallUnits | undefined {
  return largestOnRoutes(services, call, ({ provider }) => (provider.billsSearches === true ? 1 : 0)) > 0 ? units : undefined;
}

function reckon(
  { learned }: Pick<CallSettlement, 'learned'>,
  { admission, model }: CallToReserve,
  { expected, basis, content, requests }: { expected: number; basis: PromptBasis; content: PromptContent; requests: number },
): Pick<ExpectedPrompt, 'expected' | 'basis' | 'tokens' | 'most'> {
  const tokens = learned.promptTokens(model, admission.user.id, expected, basis);
  const isUnknown = basis === 'media' && !learned.knowsPrompts(model, 'media');
  const densest = Math.min(expected + requests * (content.mediaMost - content.media), requests * mostPromptTokens);
  return { expected, basis, tokens, most: Math.max(isUnknown ? tokens * unknownMedia : tokens, densest) };
}

/** Returns the class of cache writes: as the caller requested it or, if the caller cannot, as the gateway marks the prompt. */
function cacheWriteOf(services: RelayServices, call: CallToReserve, { cacheWrite }: PromptContent): CacheWriteClass | null {
  const { endpoint, body, quoted } = call;
  if (cacheWrite !== null || !endpoint.kind.isWritten || promptRatio(quoted.price, 'cacheWrite5m') === 1) return cacheWrite;
  const { settings } = services.context;
  let marked = false;
  for (const route of call.routes ?? possibleRoutes(services, call)) {
    if (route.setting.allowsSurcharges === true && route.dialect.writesLong?.(body) === true) return 'cacheWrite1h';
    marked ||= marksPrompts(route, settings);
  }
  const beginning = marked ? endpoint.dialect.beginningOf?.(body) : undefined;
  return beginning !== undefined && (beginning.hasTools || beginning.turns > 1) ? 'cacheWrite5m' : null;
}

async function promptByCount(services: RelayServices, call: CallToReserve, estimated: ExpectedPrompt): Promise<ExpectedPrompt> {
  const { admission, endpoint, model, body, prompt } = call;
  const parts = prompt ?? endpoint.promptContent(body, model);
  if (parts.texts.reduce((sum, text) => sum + text.length, 0) > countedCharacters) return estimated;
  const counting = { owner: admission.user.id, isEstimated: false };
  const { requests = 1 } = estimated;
  const expected = requests * (await countPrompt(parts, model, counting));
  const basis = estimated.basis === 'media' ? 'media' : counting.isEstimated ? 'estimated' : 'counted';
  return { ...estimated, ...reckon(services.settlement, call, { expected, basis, content: parts, requests }) };
}

/**
 * Returns the error for a running call whose account or budget cannot pay for more, by what is cached.
 * @param need total quota that the call needs
 */
export function refusedFurther(
  { context }: RelayServices,
  { admission, model }: Pick<CallToReserve, 'admission' | 'model'>,
  need: number,
): AppError {
  const { user, token } = admission;
  const isOfToken = token !== null && !token.unlimited_quota && balanceOf(token) < balanceOf(user);
  const balance = balanceOf(isOfToken ? token : user);
  const budgets = context.budgets.of(admission, model);
  if (!(budgets instanceof Promise)) {
    for (const budget of budgets) {
      const left = budget.isHard ? context.ledger.left({ kind: 'budget', id: budget.id }) : undefined;
      if (left !== undefined && left < balance) return new BudgetReached(context, budget, left);
    }
  }
  const account = isOfToken ? { kind: 'token' as const, id: token.id } : { kind: 'user' as const, id: user.id };
  return refusedMoney(context, { account, balance, need });
}

function refusedMoney({ settings }: RelayServices['context'], { account, balance, need }: Refusal): AppError {
  const display = { inCurrency: settings.get('DisplayInCurrencyEnabled'), quotaPerUnit: settings.get('QuotaPerUnit') };
  return refusals[account.kind](balance, { remain: quotaText(balance, display), need: quotaText(need, display) });
}

const refusals: Record<AccountKind, (balance: number, texts: { remain: string; need: string }) => AppError> = {
  user: (balance, { remain, need }) => new AppError('insufficient_user_quota', { detail: userQuotaText(balance, remain, need) }),
  token: (balance, texts) => (balance <= 0 ? new AppError('key_exhausted') : new AppError('pre_consume_token_quota_failed', texts)),
  budget: (_, { remain }) => new AppError('budget_used_up', { budget: '', owner: '', amount: '', left: remain }),
};

/** Existing clients compare these messages. */
function userQuotaText(balance: number, remain: string, need: string): string {
  if (balance <= 0) return 'user quota is not enough';
  return `chat pre-consumed quota failed, user quota: ${remain}, need quota: ${need}`;
}
