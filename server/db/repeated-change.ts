// Changes that are made over and over, with the same fields and conditions and other numbers. An engine takes such a change apart
// once, with examples in place of the numbers, and binds the numbers from then on.
import type { Filter, Patch } from '#server/db/collection.ts';
import type { Records } from '#server/db/all-records.ts';
import type { CollectionName } from '#server/db/database.ts';

interface Parts<Name extends CollectionName> {
  where: Filter<Records[Name]>;
  patch: Patch<Records[Name]>;
}

export class ChangeShape<Name extends CollectionName> {
  readonly of: Name;
  /** How many numbers vary. */
  readonly count: number;
  /** The change with these numbers, as they are: nothing may be computed from them, nor depend on them. */
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

/** One change of that shape. Who does not know shapes reads it as any other. */
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
