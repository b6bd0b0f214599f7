// Paths of endpoints: plain ones, and those that name a model, perhaps with a verb behind a colon.
// `/v1beta/models/{model}:generateContent`, `/v1/engines/{model}/embeddings`. What stands before the word within the braces is a part
// of the name: `/v1beta/{tunedModels/model}:generateContent`.

export interface PathPattern {
  /** As the router takes it. Patterns that differ only in their verb have the same. */
  readonly route: string;
  /** Behind the last colon. */
  readonly verb: string | undefined;
  /** The model's name, of what the router has found. */
  modelOf(found: string): string;
  /** Returns whether a path, still with its escapes, matches this pattern or is below it. */
  covers(pathname: string): boolean;
}

const placeholder = /^([^{]*)\{([^}]*)model\}(.*)$/;

export function pathPattern(path: string): PathPattern {
  const match = placeholder.exec(path);
  if (match === null) {
    const covers = (pathname: string) => pathname === path || pathname.startsWith(`${path}/`);
    return { route: path, verb: undefined, modelOf: (found) => found, covers };
  }
  const [, head = '', prefix = '', after = ''] = match;
  const before = head + prefix;
  const verb = after.startsWith(':') ? after.slice(1) : undefined;
  return {
    route: `${before}:model+${verb === undefined ? after : ''}`,
    verb,
    modelOf: (found) => prefix + found,
    covers: (pathname) =>
      pathname.length > before.length + after.length && pathname.startsWith(before) && pathname.replaceAll(/%3a/gi, ':').endsWith(after),
  };
}

/** A model's name may have colons itself; the verb is behind the last one. */
export function splitVerb(named: string): { model: string; verb: string | undefined } {
  const at = named.lastIndexOf(':');
  return at < 0 ? { model: named, verb: undefined } : { model: named.slice(0, at), verb: named.slice(at + 1) };
}
