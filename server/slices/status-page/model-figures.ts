// Figures of each model for the status page: calls that were answered and that failed, and first tokens. Counted in memory while the page is on, and
// added to the stored figures once a minute and at shutdown, in groups of writes; calls never wait for it. A crash loses the last minute.
import type { AppContext } from '#server/context.ts';
import type { Write } from '#server/db/database.ts';
import type { ModelFigureRecord } from '#server/db/records/status-page.ts';
import type { Increments } from '#server/db/collection.ts';
import { bucketOf, firstByteKeys, type FirstByteKey } from '#server/exchange/first-byte-buckets.ts';
import { pricedName } from '#shared/pricing-rules.ts';
import { figureId, type Span, spans, spanStart } from '#server/slices/status-page/figure-spans.ts';

export interface ModelFigures {
  /** Counts a call that was answered. `firstMs`: until its first token; undefined if its response does not stream. */
  answered(model: string, caller: number, firstMs: number | undefined): void;
  /** Counts a call that failed by no fault of its caller. */
  failed(model: string, caller: number): void;
  /** Adds the counts to the stored figures. Never rejects; failed writes are retried at the next flush. */
  flush(): Promise<void>;
}

type FiguresContext = Pick<AppContext, 'db' | 'channels' | 'log' | 'now'>;

/**
 * Failures of one caller within five minutes that count, where several call the model: one caller, whose requests may be what fails, does not make a
 * model look down to all.
 */
export const mostOfOneCaller = 5;
/** Callers that no channel took, because all were paused: no fault of one of them. */
export const unknownCaller = 0;
const manyCallers = -1;
/** Callers with failures of their own, per model and five minutes; the failures of further callers count as of one. */
const mostCallers = 1000;
/** Models in one group of writes. */
const modelsAtOnce = 50;
const flushMs = 60_000;
/** Counts that could not be written for so long are dropped, in seconds. */
const longestWait = 3600;

const figuresOfContext = new WeakMap<AppContext['db'], ModelFigures>();

/** The figures of this process. */
export function modelFiguresOf(context: FiguresContext & Pick<AppContext, 'onClose'>): ModelFigures {
  let figures = figuresOfContext.get(context.db);
  if (figures === undefined) {
    const made = createModelFigures(context);
    const timer = setInterval(() => void made.flush(), flushMs);
    timer.unref();
    context.onClose(async () => {
      clearInterval(timer);
      await made.flush();
    });
    figuresOfContext.set(context.db, (figures = made));
  }
  return figures;
}

/** Calls of one model in one slot. */
class Slot {
  readonly model: string;
  readonly start: number;
  answered = 0;
  /** Caller → failures. */
  readonly failures = new Map<number, number>();
  #firstCaller: number;
  #hasSeveral = false;
  readonly firstBytes: Counts = {};
  readonly firstByteMs: Counts = {};
  /** What is in the database already. */
  written: Counted = { answered: 0, failed: 0, first_byte: {}, first_byte_ms: {} };

  constructor(model: string, start: number, caller: number) {
    this.model = model;
    this.start = start;
    this.#firstCaller = caller;
  }

  called(caller: number): void {
    if (caller === unknownCaller) return;
    if (this.#firstCaller === unknownCaller) this.#firstCaller = caller;
    if (caller !== this.#firstCaller) this.#hasSeveral = true;
  }

  fail(caller: number): void {
    const known = this.failures.get(caller);
    const key = known === undefined && this.failures.size >= mostCallers ? manyCallers : caller;
    this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
  }

  counted(): Counted {
    let failed = 0;
    for (const [caller, count] of this.failures)
      failed += this.#hasSeveral && caller !== unknownCaller ? Math.min(count, mostOfOneCaller) : count;
    return { answered: this.answered, failed, first_byte: { ...this.firstBytes }, first_byte_ms: { ...this.firstByteMs } };
  }
}

type Counts = Partial<Record<FirstByteKey, number>>;
interface Counted {
  answered: number;
  failed: number;
  first_byte: Counts;
  first_byte_ms: Counts;
}

function createModelFigures({ db, channels, log, now }: FiguresContext): ModelFigures {
  const nameOf = createListedNames(channels);
  const writer = createWriter(db);
  /** Model → current slot. */
  const present = new Map<string, Slot>();
  let past: Slot[] = [];

  function slotOf(model: string, caller: number): Slot | undefined {
    const start = spanStart('s', Math.floor(now() / 1000));
    let slot = present.get(model);
    if (slot === undefined || slot.start !== start) {
      const name = slot?.model ?? nameOf(model);
      if (name === undefined) return undefined;
      if (name !== model) return slotOf(name, caller);
      if (slot !== undefined) past.push(slot);
      present.set(model, (slot = new Slot(model, start, caller)));
    }
    slot.called(caller);
    return slot;
  }

  async function write(): Promise<void> {
    const at = Math.floor(now() / 1000);
    const open = [...past, ...present.values()];
    try {
      for (let from = 0; from < open.length; from += modelsAtOnce) await writer(open.slice(from, from + modelsAtOnce));
    } catch (failure) {
      log.warn({ reason: String(failure) }, 'the figures of models could not be written and will be later');
    }
    past = past.filter((slot) => !isEmpty(difference(slot)) && slot.start > at - longestWait);
    for (const [model, slot] of present) if (slot.start !== spanStart('s', at) && isEmpty(difference(slot))) present.delete(model);
  }

  let turn: Promise<void> = Promise.resolve();
  return {
    answered(model, caller, firstMs) {
      const slot = slotOf(model, caller);
      if (slot === undefined) return;
      slot.answered += 1;
      if (firstMs === undefined) return;
      const key = firstByteKeys[bucketOf(firstMs)] ?? 'ms_0';
      slot.firstBytes[key] = (slot.firstBytes[key] ?? 0) + 1;
      slot.firstByteMs[key] = (slot.firstByteMs[key] ?? 0) + Math.round(firstMs);
    },
    failed: (model, caller) => slotOf(model, caller)?.fail(caller),
    flush: () => (turn = turn.then(write)),
  };
}

/** Only names that channels list are counted: callers make up others. GPTs are one family. */
function createListedNames(channels: FiguresContext['channels']): (model: string) => string | undefined {
  let names = new Set<string>();
  let revision = -1;
  return (model) => {
    if (revision !== channels.revision) {
      revision = channels.revision;
      names = new Set();
      for (const channel of channels.all()) for (const name of channel.models) names.add(name);
    }
    if (names.has(model)) return model;
    const family = pricedName(model);
    return names.has(family) ? family : undefined;
  };
}

/** Ids of figures that are remembered as stored. */
const mostStored = 20_000;

/** Returns the function that adds counts of slots to their figures, as one group of writes. Slots continue counting meanwhile. */
function createWriter(db: FiguresContext['db']): (slots: readonly Slot[]) => Promise<void> {
  const stored = new Set<string>();
  return async (slots) => {
    const writes: Write[] = [];
    const done: (() => void)[] = [];
    for (const slot of slots) {
      const counted = slot.counted();
      const added = difference(slot, counted);
      if (isEmpty(added)) continue;
      const increment = incrementsOf(added);
      for (const span of spans) {
        const id = figureId(span, spanStart(span, slot.start), slot.model);
        if (!stored.has(id)) writes.push({ insert: emptyFigure(span, slot, id), into: 'model_figures', ignoreConflict: true });
        writes.push({ patch: { increment }, of: 'model_figures', where: { id } });
        done.push(() => stored.add(id));
      }
      done.push(() => void (slot.written = counted));
    }
    if (writes.length === 0) return;
    await db.write(writes);
    if (stored.size > mostStored) stored.clear();
    for (const note of done) note();
  };
}

/** What is not in the database yet. Failures may become fewer, once a further caller is known. */
function difference(slot: Slot, counted: Counted = slot.counted()): Counted {
  const { written } = slot;
  return {
    answered: counted.answered - written.answered,
    failed: counted.failed - written.failed,
    first_byte: without(counted.first_byte, written.first_byte),
    first_byte_ms: without(counted.first_byte_ms, written.first_byte_ms),
  };
}

function without(counts: Counts, written: Counts): Counts {
  const rest: Counts = {};
  for (const key of firstByteKeys) {
    const count = (counts[key] ?? 0) - (written[key] ?? 0);
    if (count !== 0) rest[key] = count;
  }
  return rest;
}

function isEmpty({ answered, failed }: Counted): boolean {
  return answered === 0 && failed === 0;
}

function incrementsOf({ answered, failed, first_byte, first_byte_ms }: Counted): Increments<ModelFigureRecord> {
  const increment: Increments<ModelFigureRecord> = { answered, failed };
  for (const key of firstByteKeys) {
    const [count, milliseconds] = [first_byte[key], first_byte_ms[key]];
    if (count !== undefined) increment[`first_byte.${key}`] = count;
    if (milliseconds !== undefined) increment[`first_byte_ms.${key}`] = milliseconds;
  }
  return increment;
}

export function emptyFigure(span: Span, { model, start }: Pick<ModelFigureRecord, 'model' | 'start'>, id: string): ModelFigureRecord {
  return { id, model, start: spanStart(span, start), answered: 0, failed: 0, first_byte: {}, first_byte_ms: {} };
}
