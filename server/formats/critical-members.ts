// Request members that determine the cost or length of a call. Their names must be spelled exactly, so that the provider
// reads what is reserved: JSON parsers differ on duplicate names, and Go's ignores case (`MAX_TOKENS`).
// https://pkg.go.dev/encoding/json#Unmarshal

export interface CriticalMembers {
  readonly exact: ReadonlySet<string>;
  /** Names whose content is the caller's, and is not checked. */
  readonly opaque: ReadonlySet<string>;
  /** Returns the member that some parsers take this name for. If undefined, it is unrelated. */
  readonly intended: (name: string) => string | undefined;
}

export function criticalMembers(...lists: readonly (readonly string[])[]): CriticalMembers {
  const names = new Set(lists.flat());
  const folded = new Map([...names].map((name) => [foldName(name), name]));
  const arePlain = [...names].every((name) => plain.test(name));
  return {
    exact: names,
    opaque: opaqueNames,
    // Plain names, which most are, need no folding.
    intended: (name) => (arePlain && plain.test(name) ? (names.has(name) ? name : undefined) : folded.get(foldName(name))),
  };
}

/** Returns the same names with content under `open` checked too. */
export function openBelow(names: CriticalMembers, open: string): CriticalMembers {
  return { ...names, opaque: new Set([...names.opaque].filter((name) => name !== open)) };
}

const plain = /^[a-z0-9_]*$/;

/** Folds case like Go: the long s and the Kelvin sign are letters too. */
function foldName(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** Members with the caller's own content below: schemas, tool arguments, metadata. */
export const opaqueNames: ReadonlySet<string> = new Set([
  'arguments',
  'input',
  'input_schema',
  'json_schema',
  'logit_bias',
  'metadata',
  'parameters',
  'properties',
  'schema',
]);

/** Message members of every chat format. */
export const messageNames: readonly string[] = ['messages', 'role', 'content', 'type', 'text', 'name', 'data', 'url', 'tools'];

/** Names for bodies without members that affect the cost. */
export const noNames = criticalMembers();
