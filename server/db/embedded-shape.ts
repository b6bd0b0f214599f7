// Builds the statement of a repeated change once, with placeholders for its varying numbers.
import type { Parameter } from '#server/db/embedded-sql.ts';

/** A statement with parameters that vary per run. */
export interface ShapedStatement {
  readonly sql: string;
  readonly slots: readonly Slot[];
}

type Slot = { fixed: Parameter } | { number: number; as: 'number' | 'bigint' | 'string' };

interface Written {
  sql: string;
  parameters: readonly Parameter[];
}

/**
 * Two lists of examples, far from real quotas, ids and times, with different spacing, so that no number computed from
 * one list occurs in both.
 */
function examples(count: number): readonly [number[], number[]] {
  const list = (first: number, step: number) => Array.from({ length: count }, (_, index) => first - index * step);
  return [list(Number.MAX_SAFE_INTEGER, 1_000_003), list(Number.MAX_SAFE_INTEGER - 7, 999_983)];
}

/**
 * Derives the statement from examples. A number is bound unchanged, as by `exactNumber`, or as JSON.
 * @throws {TypeError} if the statement depends on the numbers, or one is computed from them
 */
export function shapedStatement(count: number, write: (numbers: readonly number[]) => Written): ShapedStatement {
  const [first, second] = examples(count);
  const { sql, parameters } = write(first);
  const slots = parameters.map((value): Slot => {
    const number = value === null ? -1 : first.indexOf(Number(value));
    if (number < 0) return { fixed: value };
    if (typeof value === 'number') return { number, as: 'number' };
    return { number, as: typeof value === 'bigint' ? 'bigint' : 'string' };
  });
  const again = write(second);
  const bound = bindNumbers({ sql, slots }, second);
  if (again.sql !== sql || again.parameters.some((value, position) => value !== bound[position]))
    throw new TypeError('A repeated change takes its numbers as they are');
  return { sql, slots };
}

export function bindNumbers({ slots }: ShapedStatement, numbers: readonly number[]): Parameter[] {
  const parameters: Parameter[] = [];
  for (let index = 0; index < slots.length; index += 1) {
    const slot = slots[index];
    if (slot === undefined) continue;
    if ('fixed' in slot) {
      parameters.push(slot.fixed);
      continue;
    }
    const number = numbers[slot.number] ?? Number.NaN;
    if (!Number.isFinite(number)) throw new TypeError('A repeated change takes finite numbers');
    if (slot.as === 'string') parameters.push(JSON.stringify(number));
    else parameters.push(slot.as === 'bigint' && Number.isSafeInteger(number) ? BigInt(number) : number);
  }
  return parameters;
}
