// Validates each request of a batch as strictly as a single call, and rewrites it for the provider, so that what was
// checked is what is sent even if the caller's file changes.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type LocalText } from '#shared/errors.ts';
import { batchPrice } from '#shared/batch-price.ts';
import { fieldRules } from '#shared/field-rules.ts';
import { pricedRuns, toolCharges } from '#shared/tool-prices.ts';
import { ChannelStatus } from '#shared/channels.ts';
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import type { HostedPlace } from '#server/formats/hosted-tools.ts';
import { requestedTier } from '#server/formats/service-tier.ts';
import { badField, StrictFields } from '#server/framing/strict-fields.ts';
import { checkWords } from '#server/objects/check-words.ts';
import { LineTooLong, longestLine } from '#server/objects/line-cutter.ts';
import { checkSchemas } from '#server/formats/schema-parts.ts';
import { JsonScan } from '#server/framing/json-scan.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { parseJson, textOf } from '#server/http/parse-body.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { QuotedPrice } from '#server/money/quote.ts';
import { checkMeasured } from '#server/call/admission/minutes-only.ts';
import type { Admission } from '#server/call/admission/admission.ts';
import { countNames } from '#server/call/admission/check-names.ts';
import { largestCost } from '#server/call/admission/reserve-call.ts';
import { findPrivateModel } from '#server/call/admission/find-model.ts';
import type { PrivateModel } from '#server/call/stages.ts';
import { endpointOf, type RelayBody, type RelayEndpoint } from '#server/call/endpoints.ts';
import type { RelayServices } from '#server/call/services.ts';
import { refuseStored, stateFields } from '#server/objects/state-fields.ts';
import { offersModel } from '#server/exchange/channel-index.ts';
import type { ChannelRoute } from '#server/exchange/find-route.ts';
import type { PreparedChannel } from '#server/exchange/prepared-channel.ts';
import { decodeTokens } from '#server/exchange/token-estimate.ts';
import type { EventSource } from '#server/exchange/upstream-stream.ts';
import { BatchLimits } from './batch-limits.ts';
import { batchRoute, bodyThere, pathThere } from './batch-endpoints.ts';
import type { BatchFormat } from './batch-format.ts';
import { FileTooLarge, linesOf } from '#server/work/read-lines.ts';
import { itemNamed, lineNamed, ofPlace, type Place } from '#server/objects/request-position.ts';

/** Maximum bytes of a batch, the vendor's limit. https://platform.openai.com/docs/guides/batch */
const largestFile = 200 * 1024 * 1024;
/** Maximum lines of a file, blank ones included; the vendor accepts 50,000 requests. */
const mostLines = 500_000;
/** Longer lines are parsed in turn with other callers' work. */
const longBytes = 256 * 1024;
/** Bytes written to disk at a time. */
const writtenAtOnce = 256 * 1024;

export interface BatchToCheck {
  services: RelayServices;
  admission: Admission;
  form: BatchFormat;
  endpoint: RelayEndpoint;
  /** Model that the call's path names. If undefined, each request names it. */
  model: string | undefined;
  /** `upstream_input`, if known in advance. */
  input: string;
  /** Channel to use if possible; undefined for no preference. */
  preferred: number | undefined;
  mostRequests: number;
}

export interface CheckedBatch {
  model: string;
  /** The caller's private model; null: the model is everybody's. */
  privateModel: PrivateModel | null;
  channel: PreparedChannel;
  route: ChannelRoute;
  quoted: QuotedPrice;
  requests: number;
  /** Upper bound of the total cost, in quota. */
  amount: number;
  limits: BatchLimits;
}

/** Requests of the caller. */
export type RequestSource = { file: EventSource | Buffer } | { items: readonly unknown[] };

/** Writes the requests into `spool`. @throws {AppError} `invalid_request` with the line, as `SpoolFile.append`; {FileBroken} */
export async function checkRequests(batch: BatchToCheck, source: RequestSource, spool: SpoolFile): Promise<CheckedBatch> {
  const checker = new Checker(batch);
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (spool.size + size > most) throw badFile(batch, most === largestFile ? tooLarge : inlineTooLarge);
    if (size > 0) await spool.append(waiting, size);
    [waiting, size] = [[], 0];
  };
  const { mostInline = largestFile } = batch.form;
  const most = 'file' in source ? largestFile : Math.min(mostInline, largestFile);
  try {
    for await (const written of 'file' in source ? fromFile(batch, checker, source.file) : fromItems(checker, source.items)) {
      waiting.push(written);
      size += written.length;
      if (size >= writtenAtOnce) await flush();
    }
  } catch (failure) {
    if (failure instanceof LineTooLong) throw badFile(batch, lineTooLong);
    if (failure instanceof FileTooLarge) throw badFile(batch, tooLarge);
    throw failure;
  }
  const checked = checker.checked();
  await flush();
  return checked;
}

async function* fromFile({ services }: BatchToCheck, checker: Checker, file: EventSource | Buffer): AsyncGenerator<Buffer> {
  const silenceMs = services.context.env.STREAMING_TIMEOUT * 1000;
  for await (const { bytes, number } of linesOf(file, { longest: longestLine, largest: largestFile, mostLines, silenceMs }))
    yield await checker.checkLine(bytes, number);
}

/** Milliseconds of work before yielding to the event loop. */
const stepMs = 5;

async function* fromItems(checker: Checker, items: readonly unknown[]): AsyncGenerator<Buffer> {
  let since = performance.now();
  for (const [index, item] of items.entries()) {
    yield await checker.checkItem(item, index);
    if (performance.now() - since < stepMs) continue;
    await nextTurn();
    since = performance.now();
  }
}

const tooLarge = { zh: '超过 200 MB 或 50 万行', en: 'is larger than 200 MB, or has more than 500,000 lines' };
const inlineTooLarge = { zh: '超过 20 MB', en: 'are larger than 20 MB' };
const lineTooLong = { zh: '中有超过 4 MB 的行', en: 'has a line of more than 4 MB' };
const empty = { zh: '中没有请求', en: 'has no requests' };

function badFile({ form }: BatchToCheck, rule: LocalText): AppError {
  return badField(form.fileField, rule);
}

class Checker {
  readonly #batch: BatchToCheck;
  /** Short hashes, because ids may be long. */
  readonly #names = new Set<string>();
  readonly #limits: BatchLimits;
  #first: Omit<CheckedBatch, 'requests' | 'amount' | 'limits'> | null = null;
  #requests = 0;
  #amount = 0;

  constructor(batch: BatchToCheck) {
    this.#batch = batch;
    this.#limits = new BatchLimits(batch.services.context.rateLimits, batch.admission);
  }

  checkLine(bytes: Buffer, number: number): Promise<Buffer> {
    return this.#named(lineNamed(number, this.#batch.form.fileField), async () =>
      this.#check(await this.#inTurn(bytes.length, () => this.#readLine(bytes)), bytes.length),
    );
  }

  checkItem(item: unknown, index: number): Promise<Buffer> {
    return this.#named(itemNamed(index), () => this.#check(this.#readItem(item, index), 0));
  }

  async #named(place: Place, work: () => Promise<Buffer>): Promise<Buffer> {
    try {
      const { mostRequests } = this.#batch;
      if (this.#requests >= mostRequests) throw badField(place.field, fieldRules.most(mostRequests));
      return await work();
    } catch (failure) {
      throw failure instanceof AppError && failure.status < 500 ? ofPlace(place, failure) : failure;
    }
  }

  checked(): CheckedBatch {
    if (this.#first === null) throw badFile(this.#batch, empty);
    return { ...this.#first, requests: this.#requests, amount: this.#amount, limits: this.#limits };
  }

  async #check({ name, body }: ReadRequest, size: number): Promise<Buffer> {
    const { services, admission, endpoint, form, input } = this.#batch;
    if (endpointOf(endpoint, body) !== endpoint) throw badField('body', fieldRules.invalid);
    const requested = endpoint.read(body, {
      model: this.#batch.model,
      verb: endpoint.pattern.verb,
      query: new URLSearchParams(),
      headers: new Headers(),
    });
    const { model } = requested;
    if (requested.isStream) throw badField('body.stream', notInBatches);
    const tier = requestedTier(body);
    if (tier !== undefined && tier !== 'standard') throw badField('body.service_tier', notInBatches);
    endpoint.check(body);
    checkSchemas(endpoint.dialect.schemasIn?.(body) ?? []);
    if (endpoint.refersToStored === 'responses') refuseStored(stateFields(body));
    if (endpoint.refersToStored === 'threads' && body['thread'] !== undefined) throw badField('body.thread', notInBatches);
    this.#first ??= await begin(this.#batch, model);
    const { channel, privateModel, route, quoted } = this.#first;
    if (model !== this.#first.model) throw badField('body.model', fieldRules.oneOf([this.#first.model]));
    refuseUntold(route, body, quoted);
    await checkWords(services, admission.user.id, endpoint.promptContent(body, model));
    const parameters = endpoint.parameters(body);
    const { amount, hosted, ...expected } = await this.#inTurn(size, () =>
      largestCost(services, { admission, endpoint, model, only: privateModel?.channel, body, parameters, prompt: null, quoted }),
    );
    this.#amount += amount;
    this.#requests += 1;
    const { maxTokens, choices } = parameters;
    const ofAnswer = this.#limits.add(model, { ...expected, choices });
    const outputBound = endpoint.kind.isWritten ? ofAnswer : undefined;
    const call = {
      client: endpoint.dialect,
      clientHeaders: {},
      route,
      body,
      originModel: model,
      isStream: false,
      forceUsage: false,
      settings: services.context.settings,
      hosted,
      ...(maxTokens > 0 ? { choiceLimit: Math.min(maxTokens, outputBound ?? Infinity) } : {}),
      ...(outputBound === undefined ? {} : { outputBound }),
    };
    const encoded = await this.#inTurn(size, () =>
      endpoint.kind.encode({ ...call, rawText: JSON.stringify(body) }, (lists) => decodeTokens(lists, model)),
    );
    if (!Buffer.isBuffer(encoded.body) || channel.problem !== null) throw new AppError('format_unsupported');
    const path = pathThere(channel, endpoint.path) ?? endpoint.path;
    const isBare = channel.provider?.account?.jobs !== undefined;
    return form.writeRequest({ name, path, body: bodyThere(channel, encoded.body), input, isFirst: this.#requests === 1, isBare });
  }

  /** Parsing a long line takes milliseconds. */
  #inTurn<Result>(size: number, work: () => Result): Result | Promise<Result> {
    const { services, admission } = this.#batch;
    return size > longBytes ? services.context.bodies.inTurn(`user:${admission.user.id}`, work) : work();
  }

  #readLine(bytes: Buffer): ReadRequest {
    const scan = new JsonScan();
    scan.push(bytes);
    const { parts, members, hasEscapedNames } = scan;
    const line = parseJson(textOf({ bytes, parts, members, hasEscapedNames }));
    if (!isObject(line)) throw badField('line', fieldRules.object);
    const fields = new StrictFields(line);
    const { form, endpoint } = this.#batch;
    if (form.itemIn !== undefined) {
      if (countNames(line, wrapped(endpoint)) !== members) throw badField('line', fieldRules.standsOnce);
      return this.#itemIn(form.itemIn(fields));
    }
    const name = this.#nameIn(fields.requiredText('custom_id'));
    const { path, names } = this.#batch.endpoint;
    if (fields.requiredText('method') !== 'POST') throw badField('method', fieldRules.oneOf(['POST']));
    if (fields.requiredText('url') !== path) throw badField('url', fieldRules.oneOf([path]));
    const body = line['body'];
    if (!isObject(body)) throw badField('body', fieldRules.object);
    for (const other of Object.keys(line)) if (!providerFileIds.has(other)) throw badField(other.slice(0, 100), fieldRules.invalid);
    // The parsed value hides duplicate members, so they are counted in the text. Rewriting removes escapes in names.
    if (countNames(body, names) + Object.keys(line).length !== members) throw badField('line', fieldRules.standsOnce);
    return { name, body };
  }

  /** Duplicate members are already merged: the last one was checked and is sent. */
  #readItem(item: unknown, index: number): ReadRequest {
    if (!isObject(item)) throw badField('requests', fieldRules.object);
    const { form, endpoint } = this.#batch;
    if (form.itemIn !== undefined) {
      countNames(item, wrapped(endpoint));
      return this.#itemIn(form.itemIn(new StrictFields(item), index));
    }
    const name = this.#nameIn(new StrictFields(item).requiredText('custom_id'));
    const body = item['params'];
    if (!isObject(body)) throw badField('params', fieldRules.object);
    for (const other of Object.keys(item)) if (!itemNames.has(other)) throw badField(other.slice(0, 100), fieldRules.invalid);
    countNames(body, this.#batch.endpoint.names);
    return { name, body };
  }

  #itemIn({ name, body }: { name: string; body: unknown }): ReadRequest {
    if (!isObject(body)) throw badField('request', fieldRules.object);
    return { name: this.#nameIn(name), body };
  }

  #nameIn(name: string): string {
    if (!this.#batch.form.names.test(name) || !name.isWellFormed()) throw badField('custom_id', fieldRules.invalid);
    const hash = createHash('sha256').update(name).digest('base64url').slice(0, 20);
    if (this.#names.has(hash)) throw badField('custom_id', fieldRules.standsOnce);
    this.#names.add(hash);
    return name;
  }
}

/** Critical members of a request nested in an item. */
function wrapped({ names }: RelayEndpoint): CriticalMembers {
  return { ...names, exact: new Set([...names.exact, 'request']) };
}

interface ReadRequest {
  name: string;
  body: RelayBody;
}

const providerFileIds: ReadonlySet<string> = new Set(['custom_id', 'method', 'url', 'body']);
const itemNames: ReadonlySet<string> = new Set(['custom_id', 'params']);
const notInBatches = { zh: '不能用于批处理', en: 'cannot be used in batches' };

/** @throws {AppError} for priced tools whose runs no result reports: they could not be charged */
function refuseUntold({ dialect: { hosted: access } }: ChannelRoute, body: RelayBody, { tools: prices = {} }: QuotedPrice): void {
  if (access?.atLeast === undefined) return;
  const variants = access.variants?.(body);
  const isPaid = ({ kind }: HostedPlace) => toolCharges(pricedRuns({ [kind]: 1 }, prices, variants), prices).some(({ price }) => price > 0);
  const place = access.find(body).find(isPaid);
  if (place !== undefined) throw badField(`body.${place.name}`, notInBatches);
}

/**
 * Resolves the channel for all requests: a batch has one model.
 * @throws {AppError}
 */
async function begin(
  { services, admission, form, endpoint, preferred }: BatchToCheck,
  model: string,
): Promise<Omit<CheckedBatch, 'requests' | 'amount' | 'limits'>> {
  const { context, channels, gate } = services;
  const { group, user, pinnedChannel } = admission;
  gate.checkModel(admission, model);
  const own = await findPrivateModel(services, admission, model);
  if (own !== null) {
    const route = batchRoute(form, own.channel, endpoint, model);
    if (route === null) throw new AppError('format_unsupported', {}, { field: 'model' });
    const quoted = context.quotes.priceOfTrained(own.base, group, user);
    return { model, privateModel: own, channel: own.channel, route, quoted: { ...quoted, price: batchPrice(quoted.price) } };
  }
  const quoted = checkMeasured(model, context.quotes.priceOfBatch(model, group, user));
  const routes = [...channels.tiers(group, model)].flatMap((tier) => tier.channels);
  const pinned = pinnedChannel === undefined ? undefined : channels.get(pinnedChannel);
  const requested = pinnedChannel === undefined ? routes : pinned?.status === ChannelStatus.enabled ? [pinned] : [];
  const isFirst = ({ id }: PreparedChannel) => id === preferred;
  for (const channel of [...requested.filter(isFirst), ...requested.filter((one) => !isFirst(one))]) {
    const route = batchRoute(form, channel, endpoint, model);
    if (route !== null && channel.problem === null) return { model, privateModel: null, channel, route, quoted };
  }
  if (requested.length > 0) throw new AppError('format_unsupported', {}, { field: 'model' });
  for (const channel of channels.all()) if (offersModel(channel, model)) throw new AppError('no_channel', { group, model });
  throw new AppError('model_not_found', { model }, { field: 'model' });
}
