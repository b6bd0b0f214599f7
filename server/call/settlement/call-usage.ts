// Usage of a call: as reported by its upstream, counted if not reported, estimated if counting would take too long.
import type { CallUnits } from '#shared/call-units.ts';
import type { HostedCalls } from '#shared/hosted-tools.ts';
import { pricedUsage } from '#shared/priced-usage.ts';
import { type AdviceUsage, noTokens, sumOfUsages, type TokenUsage } from '#shared/token-usage.ts';
import { type AdviceCharge, completedUsage, countedUsage, type MeteredUsage } from '#server/call/settlement/metered-usage.ts';
import type { SentAttempt } from '#server/call/call-attempt.ts';
import { elapsed, type RunningCall } from '#server/call/running-call.ts';
import type { SentRequest } from '#server/exchange/exchange.ts';
import type { Counting } from '#server/exchange/token-estimate.ts';

interface ResponseToCount {
  /** Null: the upstream reported none, or an impossible one. */
  reported: TokenUsage | null;
  /** Tools that ran at the provider, as reported or as seen in the response; missing: none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries that the provider made within the call, in addition to the reported ones; missing: none. */
  summaries?: TokenUsage | undefined;
  /** The same of advice, by the model that has given it; missing: none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** What a price per call is for; missing: the call. */
  units?: CallUnits | undefined;
  /** US dollars that its provider reports as the cost, in addition to the tokens; missing: none. */
  cost?: number | undefined;
  /** The model wrote on after it. */
  hasTextAfter: boolean;
  /** Tokens of what the model wrote; it says in `counting` when they are estimated. */
  countWritten(): Promise<number>;
  counting: Counting;
}

/** A promise only where something has to be counted. */
export function usageOfResponse(call: RunningCall, response: ResponseToCount): MeteredUsage | Promise<MeteredUsage> {
  const { hosted, units, cost } = response;
  const usage = (units === undefined ? tokensOfResponse : tokensOf[units.kind])(call, response);
  const isMore = response.summaries !== undefined || response.advice !== undefined;
  if (hosted === undefined && units === undefined && cost === undefined && !isMore) return usage;
  const { advice, summaries } = pricedAdvice(call, response);
  const rest = {
    ...(advice.length === 0 ? {} : { advice }),
    ...(hosted === undefined ? {} : { hosted }),
    ...(cost === undefined ? {} : { cost }),
    ...(units === undefined ? {} : { units }),
  };
  const all = (tokens: MeteredUsage): MeteredUsage => {
    const sum = summaries === undefined ? {} : { ...sumOfUsages(tokens, summaries), summaries };
    return { ...tokens, ...sum, ...rest };
  };
  return usage instanceof Promise ? usage.then(all) : all(usage);
}

/** Advice of a model that has a price is charged at that, other advice as if the call's model had written it. */
function pricedAdvice(
  call: RunningCall,
  { advice = [], summaries }: ResponseToCount,
): Pick<ResponseToCount, 'summaries'> & { advice: AdviceCharge[] } {
  const { services, admission } = call;
  const { quoted } = call.reserved;
  const { quotes } = services.context;
  const charges: AdviceCharge[] = [];
  let rest = summaries;
  for (const { model, usage } of advice) {
    const price = quoted.price.kind === 'usage' ? quotes.knownPriceOf(model, admission.group) : null;
    if (price === null) rest = sumOfUsages(rest ?? noTokens, usage);
    else charges.push({ model, usage, price: Number((1000 * quotes.dollars(price, pricedUsage(usage))).toFixed(9)) });
  }
  return { summaries: rest, advice: charges };
}

type Metering = (call: RunningCall, response: ResponseToCount) => MeteredUsage | Promise<MeteredUsage>;

const tokensOf: Readonly<Record<CallUnits['kind'], Metering>> = {
  search: tokensOfResponse,
  image: tokensOfPictures,
  minute: tokensOfSound,
  character: tokensOfSpeech,
  // Videos are tasks.
  second: tokensOfResponse,
};

/** With a price per picture no tokens are counted; otherwise pictures are counted by their size. */
async function tokensOfPictures(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
  const isPerCall = call.reserved.quoted.price.kind === 'call';
  const usage = await tokensOfResponse(call, { ...response, countWritten: isPerCall ? () => Promise.resolve(0) : response.countWritten });
  if (usage.completionSource === 'upstream' || usage.output === 0) return usage;
  const { output = 0, imageOutput = 0 } = response.reported ?? {};
  return { ...usage, imageOutput: usage.output - (output - imageOutput), completionSource: 'estimated' };
}

/** Audio input is counted by its length, and is all audio unless reported otherwise. */
async function tokensOfSound(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
  return received(call, await tokensOfResponse(call, response));
}

/** Audio output is measured unless its tokens are reported, and is all audio. */
async function tokensOfSpeech(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
  const usage = await tokensOfResponse(call, response);
  if (usage.completionSource === 'upstream' || usage.output === 0) return usage;
  return { ...usage, audioOutput: usage.output, completionSource: 'estimated' };
}

function received({ reserved: { prompt } }: RunningCall, usage: MeteredUsage): MeteredUsage {
  return usage.promptSource === 'upstream' ? usage : { ...usage, audioInput: Math.min(prompt.audio, usage.input) };
}

function tokensOfResponse(call: RunningCall, response: ResponseToCount): MeteredUsage | Promise<MeteredUsage> {
  const { reported, hasTextAfter, countWritten } = response;
  if (reported === null) return countResponse(call, response);
  return completedUsage(reported, hasTextAfter, { prompt: () => countPrompt(call), completion: countWritten });
}

async function countResponse(call: RunningCall, { countWritten, counting }: ResponseToCount): Promise<MeteredUsage> {
  const [input, output] = await Promise.all([countInto(call, counting), countWritten()]);
  return countedUsage(input, output, counting.isEstimated);
}

/** Returns the prompt alone, as counted, and the units that its provider bills in addition to tokens. */
export async function usageOfPrompt(call: RunningCall, { route, pieces }: SentRequest): Promise<MeteredUsage> {
  const { tokens, isEstimated } = await countPrompt(call);
  const { units, made } = ordered(call.reserved.prompt, pieces);
  const billed = units?.kind === 'search' && route.provider.billsSearches !== true ? undefined : units;
  const counted = countedUsage(tokens, 0, isEstimated);
  const usage = { ...(units?.kind === 'minute' ? received(call, counted) : counted), ...(billed === undefined ? {} : { units: billed }) };
  // The pictures can no longer be cancelled.
  if (made === 0 || units?.kind !== 'image' || call.reserved.quoted.price.kind === 'call') return usage;
  return { ...usage, output: made, imageOutput: made, completionSource: 'estimated' };
}

/** Of pictures that are ordered a few at a time the last may never have been. */
function ordered(
  { units, made = 0 }: RunningCall['reserved']['prompt'],
  pieces: SentRequest['pieces'],
): { units?: CallUnits | undefined; made: number } {
  if (units?.kind !== 'image' || pieces === undefined) return { units, made };
  const part = (all: number) => Math.ceil((all * pieces.sent) / pieces.all);
  return { units: { ...units, count: part(units.count) }, made: part(made) };
}

/** Of a model that has not answered yet. */
const usualTokensPerSecond = 50;

/**
 * What a call has used whose client disconnected before anything came; hanging up would be free otherwise. Nothing of a stream has come.
 * A whole response was being written all the time.
 */
export async function usageUntilDisconnect(call: RunningCall, { record, request }: SentAttempt): Promise<MeteredUsage> {
  const seconds = (elapsed(call) - record.start_ms) / 1000;
  const prompt = await usageOfPrompt(call, request);
  if (call.stream !== null || !call.endpoint.kind.isWritten) return prompt;
  const speed = call.services.settlement.learned.tokensPerSecond(call.model) ?? usualTokensPerSecond;
  const written = Math.ceil(seconds * speed * call.reserved.choices);
  return { ...prompt, output: Math.min(written, call.reserved.outputLimit ?? call.reserved.outputMost), completionSource: 'estimated' };
}

/** Returns whether the requested response may be longer than the limit of a passed-on one. */
export function mayBeTooLong({ stream, reserved, parameters, endpoint }: RunningCall): boolean {
  return stream === null && reserved.outputMost * parameters.mostTokenBytes > endpoint.kind.mostResponseBytes;
}

/** What such a response has cost, of which no more was read: as many tokens as that must have had. */
export async function usageOfTooLong(call: RunningCall, { request }: SentAttempt): Promise<MeteredUsage> {
  const written = Math.ceil(call.endpoint.kind.mostResponseBytes / call.parameters.mostTokenBytes);
  const prompt = await usageOfPrompt(call, request);
  return { ...prompt, output: Math.min(written, call.reserved.outputLimit ?? call.reserved.outputMost), completionSource: 'estimated' };
}

async function countPrompt(call: RunningCall): Promise<{ tokens: number; isEstimated: boolean }> {
  const counting = { owner: call.admission.user.id, isEstimated: false };
  const tokens = await countInto(call, counting);
  return { tokens, isEstimated: counting.isEstimated };
}

function countInto({ content, endpoint, model, reserved: { prompt } }: RunningCall, counting: Counting): Promise<number> {
  return content.countPrompt({ endpoint, model, estimate: prompt.tokens }, counting);
}
