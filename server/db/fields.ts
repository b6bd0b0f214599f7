// Types of record fields: a misspelt path, or a value of another type than the field's, does not compile.

export type Scalar = string | number | boolean | null;

type TextKey<T> = keyof T & string;

/** Paths below a field: none below scalars and lists, any below untyped values. */
type PathBelow<Value> = unknown extends Value
  ? string
  : NonNullable<Value> extends infer Inner
    ? Inner extends Scalar | readonly unknown[]
      ? never
      : FieldPath<Inner>
    : never;

/**
 * Paths of a record's fields and nested fields: `revision`, `leases.p1`. For a union, those that all its members have.
 */
export type FieldPath<T> = { [Key in TextKey<T>]-?: Key | `${Key}.${PathBelow<T[Key]>}` }[TextKey<T>];

/** Type of the value at a path, with `undefined` if it may be missing. */
export type FieldAt<T, Path extends string> = unknown extends T
  ? unknown
  : Path extends keyof T
    ? string extends keyof T
      ? T[Path] | undefined
      : T[Path]
    : Path extends `${infer Head}.${infer Rest}`
      ? Head extends keyof T
        ? FieldAt<unknown extends T[Head] ? unknown : NonNullable<T[Head]>, Rest>
        : never
      : never;

/** Fields that may hold any `Value`. */
export type PathOf<T, Value> = {
  [Path in FieldPath<T>]: Value extends FieldAt<T, Path> ? Path : never;
}[FieldPath<T>];
