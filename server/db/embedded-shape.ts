// The statement of a change that is repeated: written once, with numbers in place of the varying ones that stand in no change.
import type { Parameter } from '#server/db/embedded-sql.ts';

/** A statement whose parameters are partly given with each run. */
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
 * Two lists of examples, far from all quota, ids and times. They differ at other distances, so that nothing that is computed from a
 * number of one stands for a number in both.
 */
function examples(count: number): readonly [number[], number[]] {
  const list = (first: number, step: number) => Array.from({ length: count }, (_, index) => first - index * step);
  return [list(Number.MAX_SAFE_INTEGER, 1_000_003), list(Number.MAX_SAFE_INTEGER - 7, 999_983)];
}

/**
 * From the statement with examples. A number is bound as it is, as `exactNumber` has it, or as its JSON.
 * @throws {TypeError} when the numbers decide about the statement, or something is computed from them
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
