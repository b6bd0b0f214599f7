// The fields of a record as types: a path that is misspelt, or a value of another type than the field's, does not compile.

export type Scalar = string | number | boolean | null;

type TextKey<T> = keyof T & string;

/** Paths below a field: none below scalars and lists, any below what has no type of its own. */
type PathBelow<Value> = unknown extends Value
  ? string
  : NonNullable<Value> extends infer Inner
    ? Inner extends Scalar | readonly unknown[]
      ? never
      : FieldPath<Inner>
    : never;

/** `revision`, `leases.p1`: the fields of a record and of the objects in it. Of a union: what all its records have. */
export type FieldPath<T> = { [Key in TextKey<T>]-?: Key | `${Key}.${PathBelow<T[Key]>}` }[TextKey<T>];

/** The type of the value at a path, with `undefined` where it may be missing. */
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

/** The fields that may hold any `Value`. */
export type PathOf<T, Value> = {
  [Path in FieldPath<T>]: Value extends FieldAt<T, Path> ? Path : never;
}[FieldPath<T>];
