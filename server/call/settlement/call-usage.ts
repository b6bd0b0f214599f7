// Determines the usage of a call: reported by the upstream, else counted, or estimated if counting would take too long.
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
  /** Reported usage; null if none or an implausible one was reported. */
  reported: TokenUsage | null;
  /** Runs of hosted tools, reported or observed. If undefined, none. */
  hosted?: HostedCalls | undefined;
  /** Tokens of summaries within the call, in addition to `reported`. If undefined, none. */
  summaries?: TokenUsage | undefined;
  /** Tokens of advice by model, in addition to `reported`. If undefined, none. */
  advice?: readonly AdviceUsage[] | undefined;
  /** Units of a price per call. If undefined, the call. */
  units?: CallUnits | undefined;
  /** Reported cost in US dollars. If undefined, none. */
  cost?: number | undefined;
  /** Whether the model wrote text after the reported usage. */
  hasTextAfter: boolean;
  /** Counts the tokens of the model's text; sets `counting.isEstimated` if they are estimated. */
  countWritten(): Promise<number>;
  counting: Counting;
}

/** Returns the usage of a response; a promise only if tokens must be counted. */
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

/** Prices advice: at the price of its model or, if that has none, as output of the call's model. */
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
    const price = quoted.price.kind === 'usage' ? quotes.knownPriceOf(model, admission.group, admission.user) : null;
    if (price === null) rest = sumOfUsages(rest ?? noTokens, usage);
    else charges.push({ model, usage, price: Number((1000 * quotes.dollars(price, pricedUsage(usage))).toFixed(9)) });
  }
  return { summaries: rest, advice: charges };
}

type Metering = (call: RunningCall, response: ResponseToCount) => MeteredUsage | Promise<MeteredUsage>;

const tokensOf: Readonly<Record<CallUnits['kind'], Metering>> = {
  search: tokensOfResponse,
  image: usageOfImages,
  minute: usageOfAudioInput,
  character: usageOfSpeech,
  // Not used: videos are tasks.
  second: tokensOfResponse,
};

/** Usage of images. Without reported tokens, they are counted by size, unless the price is per image. */
async function usageOfImages(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
  const isPerCall = call.reserved.quoted.price.kind === 'call';
  const usage = await tokensOfResponse(call, { ...response, countWritten: isPerCall ? () => Promise.resolve(0) : response.countWritten });
  if (usage.completionSource === 'upstream' || usage.output === 0) return usage;
  const { output = 0, imageOutput = 0 } = response.reported ?? {};
  return { ...usage, imageOutput: usage.output - (output - imageOutput), completionSource: 'estimated' };
}

/** Usage of audio input, which is counted by its length and is all audio unless reported otherwise. */
async function usageOfAudioInput(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
  return received(call, await tokensOfResponse(call, response));
}

/** Usage of speech. Without reported tokens its length is measured; all output is audio. */
async function usageOfSpeech(call: RunningCall, response: ResponseToCount): Promise<MeteredUsage> {
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

/** Returns the counted usage of the prompt alone, with the units that the provider bills. */
export async function usageOfPrompt(call: RunningCall, { route, pieces }: SentRequest): Promise<MeteredUsage> {
  const { tokens, isEstimated } = await countPrompt(call);
  const { units, made } = ordered(call.reserved.prompt, pieces);
  const billed = units?.kind === 'search' && route.provider.billsSearches !== true ? undefined : units;
  const counted = countedUsage(tokens, 0, isEstimated);
  const usage = { ...(units?.kind === 'minute' ? received(call, counted) : counted), ...(billed === undefined ? {} : { units: billed }) };
  // Images that were requested can no longer be cancelled, so they are charged.
  if (made === 0 || units?.kind !== 'image' || call.reserved.quoted.price.kind === 'call') return usage;
  return { ...usage, output: made, imageOutput: made, completionSource: 'estimated' };
}

/** Returns the images requested so far: those that are requested a few at a time may not all have been requested. */
function ordered(
  { units, made = 0 }: RunningCall['reserved']['prompt'],
  pieces: SentRequest['pieces'],
): { units?: CallUnits | undefined; made: number } {
  if (units?.kind !== 'image' || pieces === undefined) return { units, made };
  const part = (all: number) => Math.ceil((all * pieces.sent) / pieces.all);
  return { units: { ...units, count: part(units.count) }, made: part(made) };
}

/** Assumed tokens per second of a model without statistics. */
const usualTokensPerSecond = 50;

/**
 * Usage of a call whose client disconnected before a response arrived; without it, disconnecting would make calls free. A stream
 * has sent nothing yet; a complete response is assumed to have been generated all the time.
 */
export async function usageUntilDisconnect(call: RunningCall, { record, request }: SentAttempt): Promise<MeteredUsage> {
  const seconds = (elapsed(call) - record.start_ms) / 1000;
  const prompt = await usageOfPrompt(call, request);
  if (call.stream !== null || !call.endpoint.kind.isWritten) return prompt;
  const speed = call.services.settlement.learned.tokensPerSecond(call.model) ?? usualTokensPerSecond;
  const written = Math.ceil(seconds * speed * call.reserved.choices);
  return { ...prompt, output: Math.min(written, call.reserved.outputLimit ?? call.reserved.outputMost), completionSource: 'estimated' };
}

/** Reports whether the requested response may exceed the maximum size of a complete response. */
export function mayBeTooLong({ stream, reserved, parameters, endpoint }: RunningCall): boolean {
  return stream === null && reserved.outputMost * parameters.mostTokenBytes > endpoint.kind.mostResponseBytes;
}

/** Usage of a response that exceeded the maximum size: the tokens that so many bytes must have. */
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
