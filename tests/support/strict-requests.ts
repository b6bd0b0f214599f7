// Requests of formats that stand-ins take strictly: what is wrong with one ends its reading.

export type Json = Record<string, unknown>;

/** What a request is as a chat completion request, or why it is refused. */
export type ReadRequest = { requested: Json } | { fault: string };

class Fault extends Error {}

export function readStrictly(read: () => Json): ReadRequest {
  try {
    return { requested: read() };
  } catch (cause) {
    if (cause instanceof Fault) return { fault: cause.message };
    throw cause;
  }
}

export function demand(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Fault(message);
}

export function hasOnly(value: Json, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

/** An address is none, although Node would read it as some. */
export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && /^[A-Za-z0-9+/\s]+={0,2}$/.test(value);
}
