// What the results of a batch come to: each is read as the response to a call is, and costs what its usage does.
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
import type { BatchFormat, ReadResult, ResultFile } from './batch-format.ts';
import { FileBroken, linesOf } from './read-lines.ts';
import { noResults } from './settle-batch.ts';
import type { BatchSums } from './settle-batch.ts';

/** Bytes of a result, and of all. */
const longestResult = 64 * 1024 * 1024;
const largestFile = 8 * 1024 * 1024 * 1024;
/** What results may cost, by what was taken for them. */
const mostExcess = 2;
/** Seconds behind the end of a batch in which results that are counted, and stand in no file, may come yet. */
const lateSeconds = 3600;
/** Beyond this a result is read in turn with others' work. */
const longBytes = 256 * 1024;

/** @throws {AppError} @throws {FileBroken} and what `linesOf` throws: it has to be read once more */
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
  /** What a request may cost whose usage is not told: its share of what was taken. */
  readonly #share: number;
  /** Each request has one result, whatever the file says. */
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
   * A prompt may be longer than was estimated. What is further beyond cannot be true. A result that the provider has counted and never told costs
   * as one without a usage.
   * @throws {FileBroken} while it may come yet
   */
  reported(): BatchSums {
    const { reserved, id, requests, completed } = this.#batch;
    const missing = Math.max(0, Math.min(completed, requests) - this.#seen.size);
    if (missing > 0 && this.#isEarly()) throw new FileBroken(`${missing} results are not there`);
    for (let index = 0; index < missing; index += 1) this.#addShare();
    const { cost } = this.#sums;
    const most = reserved * mostExcess;
    if (cost > most) this.#context.log.error({ batch: id, cost, most }, 'a provider tells that a batch has used more than it can');
    // Of those that have no answer some may never have been asked.
    const failed = Math.max(0, this.#sums.failed - this.#batch.cancelled - this.#batch.expired);
    return { ...this.#sums, failed, cost: Math.min(cost, most), lines: JSON.stringify(this.#lines.reported()) };
  }

  #isEarly(): boolean {
    const { completed_at: completed, expired_at: expired, cancelled_at: cancelled } = this.#batch;
    return this.#context.now() / 1000 < Math.max(completed, expired, cancelled) + lateSeconds;
  }

  /** Null: it is no result, or one of a request that has one. */
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
    // Every request has a prompt: zeros tell nothing.
    if (read === null || read.kind === 'failed' || usage === null || inputTokens(usage) === 0) {
      this.#addShare();
      return;
    }
    this.#sums.prompt_tokens += inputTokens(usage);
    this.#sums.cached_tokens += usage.cacheRead;
    this.#sums.completion_tokens += usage.output;
    this.#sums.reasoning_tokens += usage.reasoning;
    const priced = pricedUsage(usage);
    const runs = this.#runsOf(read.hosted, body);
    const charged = this.#context.quotes.charge(this.#quoted, priced, runs);
    this.#sums.cost += charged;
    this.#lines.add(priced, runs, charged);
  }

  #addShare(): void {
    this.#sums.cost += this.#share;
    this.#lines.addShare(this.#share);
  }

  /** A response repeats how its request asked for tools; what its model runs in each call it does not tell. */
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
