/** Returns an object with that property, or none: a spread treats absent and undefined differently. */
export function defined<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  const entry: Partial<Record<string, Value>> = value === undefined ? {} : { [name]: value };
  return entry;
}
