// Names in a request that decide what a call costs or how long it may be. Readers of JSON differ: some take the first of two equal
// names and some the last, and those of Go do not tell `max_tokens` from `MAX_TOKENS`. What is reserved for has to be what goes
// upstream, so such a name is taken in one spelling only. https://pkg.go.dev/encoding/json#Unmarshal

export interface CriticalMembers {
  has(name: string): boolean;
  /** The name that some readers take this one for; undefined: it is another name. */
  intended(name: string): string | undefined;
  /** What stands below that name is the caller's own. */
  isOpaque(name: string): boolean;
}

export function criticalMembers(...lists: readonly (readonly string[])[]): CriticalMembers {
  const names = new Set(lists.flat());
  const folded = new Map([...names].map((name) => [foldName(name), name]));
  const arePlain = [...names].every((name) => plain.test(name));
  return {
    has: (name) => names.has(name),
    // Most names of any body are plain: they mean what they say.
    intended: (name) => (arePlain && plain.test(name) ? (names.has(name) ? name : undefined) : folded.get(foldName(name))),
    isOpaque: (name) => opaqueNames.has(name),
  };
}

/** The same where that name holds what is sent. */
export function openBelow(names: CriticalMembers, open: string): CriticalMembers {
  return { ...names, isOpaque: (name) => name !== open && names.isOpaque(name) };
}

const plain = /^[a-z0-9_]*$/;

/** Without regard to case, as Go folds: the long s and the Kelvin sign are letters too. */
function foldName(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** Of bodies in which no name costs anything. */
export const noNames = criticalMembers();

/** What stands below them is the caller's own: schemas, arguments of tools, marks. */
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

/** Of messages, in every chat format. */
export const messageNames: readonly string[] = ['messages', 'role', 'content', 'type', 'text', 'name', 'data', 'url', 'tools'];
