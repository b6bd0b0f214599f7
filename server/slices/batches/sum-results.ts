// Sums the results of a batch: each is decoded like a call's response and charged by its usage.
import { createHash } from 'node:crypto';
import { pricedUsage } from '#shared/priced-usage.ts';
import type { HostedCalls, PricedRuns } from '#shared/hosted-tools.ts';
import { inputTokens } from '#shared/token-usage.ts';
import { pricedRuns } from '#shared/tool-prices.ts';
import type { AppContext } from '#server/context.ts';
import type { BatchRecord } from '#server/db/records/batch.ts';
import { mostOf } from '#server/formats/hosted-tools.ts';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { ChargeLines } from '#server/money/charge-lines.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import type { RelayEndpoint } from '#server/call/endpoints.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { batchEndpoint, batchRoute, formOf } from './batch-endpoints.ts';
import { estimatedTokens } from './batch-limits.ts';
import type { BatchFormat, ReadResult, ResultFile } from './batch-format.ts';
import { FileBroken, linesOf } from '#server/work/read-lines.ts';
import { type BatchSums, noResults } from './batch-work.ts';

/** Maximum bytes of a result, and of all. */
const longestResult = 64 * 1024 * 1024;
const largestFile = 8 * 1024 * 1024 * 1024;
/** Maximum cost of the results relative to the prepayment. */
const mostExcess = 2;
/** Seconds after a batch's end in which counted but missing results may still appear. */
const lateSeconds = 3600;
/** Longer results are parsed in turn with other work. */
const longBytes = 256 * 1024;

/**
 * @throws {AppError}
 * @throws {FileBroken} and as `linesOf`: the results must be read again
 */
export async function sumResults(context: AppContext, channel: PreparedChannel, batch: BatchRecord): Promise<BatchSums> {
  const sums = new Sums(context, channel, batch);
  for (const file of formOf(batch).results(batch)) await eachLine(context, batch, file, (bytes) => sums.add(bytes, file.isOfErrors));
  return sums.reported();
}

async function eachLine(context: AppContext, batch: BatchRecord, file: ResultFile, work: (bytes: Buffer) => void): Promise<void> {
  const silenceMs = context.env.STREAMING_TIMEOUT * 1000;
  const source = await file.open(context);
  for await (const { bytes } of linesOf(source, { longest: longestResult, largest: largestFile, silenceMs })) {
    if (bytes.length > longBytes) await context.bodies.inTurn(`user:${batch.user_id}`, () => work(bytes));
    else work(bytes);
  }
}

class Sums {
  readonly #context: AppContext;
  readonly #batch: BatchRecord;
  readonly #quoted: QuotedPrice;
  readonly #form: BatchFormat;
  readonly #endpoint: RelayEndpoint | undefined;
  readonly #route: ChannelRoute | null;
  /** Cost of a request without reported usage: its share of the prepayment. */
  readonly #share: number;
  /** Tokens of such a request. */
  readonly #tokens: number;
  #used = 0;
  /** Custom ids seen: each request has one result, whatever the file contains. */
  readonly #seen = new Set<string>();
  readonly #sums: BatchSums = { ...noResults, failed: 0 };
  readonly #lines: ChargeLines;

  constructor(context: AppContext, channel: PreparedChannel, batch: BatchRecord) {
    this.#context = context;
    this.#batch = batch;
    this.#quoted = JSON.parse(batch.quoted);
    this.#lines = new ChargeLines(this.#quoted);
    this.#form = formOf(batch);
    this.#endpoint = batchEndpoint(this.#form, batch.endpoint);
    this.#route = this.#endpoint === undefined ? null : batchRoute(this.#form, channel, this.#endpoint, batch.model);
    this.#share = Math.floor(batch.reserved / Math.max(1, batch.requests));
    this.#tokens = estimatedTokens(batch);
  }

  add(bytes: Buffer, isOfErrors: boolean): void {
    const size = this.#form.restore(bytes, this.#batch).length + 1;
    this.#sums[isOfErrors ? 'error_bytes' : 'output_bytes'] += size;
    const result = this.#first(bytes);
    if (result === null) return;
    if (isOfErrors || !result.isAnswered) this.#sums.failed += 1;
    else this.#answered(result.body ?? null);
  }

  /**
   * Caps the cost: a prompt may exceed its estimate, but only so far. Results that the provider counted but never
   * delivered cost as much as those without usage.
   * @throws {FileBroken} while they may still appear
   */
  reported(): BatchSums {
    const { reserved, id, requests, completed } = this.#batch;
    const missing = Math.max(0, Math.min(completed, requests) - this.#seen.size);
    if (missing > 0 && this.#isEarly()) throw new FileBroken(`${missing} results are not there`);
    for (let index = 0; index < missing; index += 1) this.#addShare();
    const { cost } = this.#sums;
    const most = reserved * mostExcess;
    if (cost > most) this.#context.log.error({ batch: id, cost, most }, 'a provider tells that a batch has used more than it can');
    // Requests without a result may not have been run.
    const failed = Math.max(0, this.#sums.failed - this.#batch.cancelled - this.#batch.expired);
    return { ...this.#sums, used_tokens: this.#used, failed, cost: Math.min(cost, most), lines: JSON.stringify(this.#lines.reported()) };
  }

  #isEarly(): boolean {
    const { completed_at: completed, expired_at: expired, cancelled_at: cancelled } = this.#batch;
    return this.#context.now() / 1000 < Math.max(completed, expired, cancelled) + lateSeconds;
  }

  /** Returns null if the line is no result, or the second of a request. */
  #first(bytes: Buffer): ReadResult | null {
    const line = parseObject(bytes.toString('utf8'));
    const result = line === null ? null : this.#form.readResult(line, this.#batch);
    if (result === null) return null;
    const hash = createHash('sha256').update(result.name).digest('base64url').slice(0, 20);
    if (this.#seen.has(hash) || this.#seen.size >= this.#batch.requests) return null;
    this.#seen.add(hash);
    return result;
  }

  #answered(body: unknown): void {
    const read = this.#read(Buffer.from(JSON.stringify(body)));
    if (read?.kind === 'failed' && read.error !== null) {
      this.#sums.failed += 1;
      return;
    }
    this.#sums.completed += 1;
    const usage = read === null || read.kind === 'failed' ? null : read.usage;
    // Every request has a prompt, so zeros mean unknown.
    if (read === null || read.kind === 'failed' || usage === null || inputTokens(usage) === 0) {
      this.#addShare();
      return;
    }
    this.#sums.prompt_tokens += inputTokens(usage);
    this.#sums.cached_tokens += usage.cacheRead;
    this.#sums.completion_tokens += usage.output;
    this.#sums.reasoning_tokens += usage.reasoning;
    this.#used += inputTokens(usage) + usage.output;
    const priced = pricedUsage(usage);
    const runs = this.#runsOf(read.hosted, body);
    const charged = this.#context.quotes.charge(this.#quoted, priced, runs);
    this.#sums.cost += charged;
    this.#lines.add(priced, runs, charged);
  }

  #addShare(): void {
    this.#sums.cost += this.#share;
    this.#used += this.#tokens;
    this.#lines.addShare(this.#share);
  }

  /** Tool runs: a response repeats the requested tools, but does not report each run. */
  #runsOf(reported: HostedCalls | undefined, body: unknown): PricedRuns | undefined {
    const { dialect, upstreamModel: model = '' } = this.#route ?? {};
    const hosted = mostOf(reported, dialect?.hosted?.atLeast?.({ model }));
    if (hosted === undefined) return undefined;
    const requested = isObject(body) ? { ...body, model } : { model };
    return pricedRuns(hosted, this.#quoted.tools ?? {}, dialect?.hosted?.variants?.(requested));
  }

  #read(body: Buffer) {
    const [endpoint, route] = [this.#endpoint, this.#route];
    if (endpoint === undefined || route === null) return null;
    const { model } = this.#batch;
    return endpoint.kind.decode({
      client: endpoint.dialect,
      route,
      upstreamModel: route.upstreamModel,
      body,
      responseFields: {},
      writer: { model, requestId: '', createdAt: 0, wantsUsage: false, promptEstimate: 0 },
    });
  }
}
