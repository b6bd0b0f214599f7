/** An object with that one property, or none: absent and undefined are not the same to a spread. */
export function defined<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  const entry: Partial<Record<string, Value>> = value === undefined ? {} : { [name]: value };
  return entry;
}
