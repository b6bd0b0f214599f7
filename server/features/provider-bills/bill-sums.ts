// Sums of a bill by day and model while it is read. Bounded, whatever is in the file.
import { add, decimalText } from '#shared/decimal.ts';
import { storedAmount } from '#shared/bill-amounts.ts';
import type { BillLine } from '#server/db/records/bill.ts';
import { addDays, daysBetween } from './calendar.ts';
import type { BillEntry, EmptyDay } from './entries.ts';
import { BillFileError } from './read-file.ts';

/** Models of a day, and days and models of a bill. */
const mostModels = 500;
const mostLines = 20_000;
/** Days from the first to the last one. */
const mostDays = 400;

type Part = BillEntry['part'];

/** A day's part with its lines. */
export interface DayPart {
  day: string;
  part: Part;
  lines: BillLine[];
}

export class BillSums {
  readonly #parts = new Map<Part, Map<string, Map<string, BillLine>>>();
  #lines = 0;
  #first: string | undefined;
  #last: string | undefined;

  /** @throws {BillFileError} `too_many_lines` */
  add(entry: BillEntry | EmptyDay): void {
    const models = this.#modelsOf(entry.part, entry.day);
    if ('isEmpty' in entry) return;
    const known = models.get(entry.model);
    if (known === undefined) {
      this.#lines += 1;
      if (models.size >= mostModels || this.#lines > mostLines) throw new BillFileError('too_many_lines');
    }
    models.set(entry.model, addLine(known ?? { model: entry.model }, lineOf(entry)));
  }

  get first(): string | undefined {
    return this.#first;
  }

  get last(): string | undefined {
    return this.#last;
  }

  /** Sum of all amounts; undefined if there is none. */
  get amount(): string | undefined {
    const amounts = this.parts().flatMap(({ lines }) => lines.flatMap(({ amount }) => (amount === undefined ? [] : [amount])));
    return amounts.length === 0 ? undefined : decimalText(amounts.map(storedAmount).reduce(add));
  }

  /** Parts of all days from the first to the last one: a day within them that has no row was billed nothing. */
  parts(): DayPart[] {
    if (this.#first === undefined || this.#last === undefined) return [];
    const days = Array.from({ length: daysBetween(this.#first, this.#last) + 1 }, (_, index) => addDays(this.#first ?? '', index));
    return [...this.#parts].flatMap(([part, byDay]) => days.map((day) => ({ day, part, lines: [...(byDay.get(day)?.values() ?? [])] })));
  }

  #modelsOf(part: Part, day: string): Map<string, BillLine> {
    if (this.#first === undefined || day < this.#first) this.#first = day;
    if (this.#last === undefined || day > this.#last) this.#last = day;
    if (daysBetween(this.#first, this.#last) >= mostDays) throw new BillFileError('too_many_lines');
    let byDay = this.#parts.get(part);
    if (byDay === undefined) this.#parts.set(part, (byDay = new Map()));
    let models = byDay.get(day);
    if (models === undefined) byDay.set(day, (models = new Map()));
    return models;
  }
}

function lineOf({ model, calls, inputTokens, outputTokens, amount, requestId }: BillEntry): BillLine {
  const count = calls ?? (requestId === undefined ? undefined : 1);
  return {
    model,
    ...(count === undefined ? {} : { calls: count }),
    ...(inputTokens === undefined ? {} : { input_tokens: inputTokens }),
    ...(outputTokens === undefined ? {} : { output_tokens: outputTokens }),
    ...(amount === undefined ? {} : { amount: decimalText(amount) }),
  };
}

/** The sum of two lines, under the first one's name. Absent values are unknown, and stay so on neither side alone. */
export function addLine(line: BillLine, other: BillLine): BillLine {
  const sum: BillLine = { model: line.model };
  for (const name of ['calls', 'input_tokens', 'output_tokens'] as const) {
    const [one, two] = [line[name], other[name]];
    if (one !== undefined || two !== undefined) sum[name] = (one ?? 0) + (two ?? 0);
  }
  const [one, two] = [line.amount, other.amount];
  if (one !== undefined || two !== undefined) sum.amount = decimalText(add(storedAmount(one ?? '0'), storedAmount(two ?? '0')));
  return sum;
}
