// Changes that repeat with the same fields and conditions but other numbers. An engine compiles such a change once,
// with examples in place of the numbers, and then only binds the numbers.
import type { Filter, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import type { CollectionName } from '#server/db/database.ts';

interface Parts<Name extends CollectionName> {
  where: Filter<Records[Name]>;
  patch: Patch<Records[Name]>;
}

export class ChangeShape<Name extends CollectionName> {
  readonly of: Name;
  /** Number of varying numbers. */
  readonly count: number;
  /** Builds the change with these numbers unmodified: nothing may be computed from them or depend on them. */
  readonly build: (numbers: readonly number[]) => Parts<Name>;

  constructor(of: Name, count: number, build: (numbers: readonly number[]) => Parts<Name>) {
    this.of = of;
    this.count = count;
    this.build = build;
  }

  with(numbers: readonly number[]): RepeatedChange<Name> {
    return new RepeatedChange(this, numbers);
  }
}

/** One change of that shape. Engines without support treat it as any other. */
export class RepeatedChange<Name extends CollectionName> {
  readonly of: Name;
  readonly shape: ChangeShape<Name>;
  readonly numbers: readonly number[];
  readonly anyOrder = true;
  #parts: Parts<Name> | undefined;

  constructor(shape: ChangeShape<Name>, numbers: readonly number[]) {
    this.of = shape.of;
    this.shape = shape;
    this.numbers = numbers;
  }

  get where(): Filter<Records[Name]> {
    return this.#built.where;
  }

  get patch(): Patch<Records[Name]> {
    return this.#built.patch;
  }

  get #built(): Parts<Name> {
    return (this.#parts ??= this.shape.build(this.numbers));
  }
}
