// Patterns of endpoint paths, which may contain a model and a verb after a colon: `/v1beta/models/{model}:generateContent`,
// `/v1/engines/{model}/embeddings`. Text in the braces before `model` is part of the model's name:
// `/v1beta/{tunedModels/model}:generateContent`.

export interface PathPattern {
  /** Route for the router; the same for patterns that differ in their verb only. */
  readonly route: string;
  /** Verb after the last colon; undefined if there is none. */
  readonly verb: string | undefined;
  /** Returns the model name for the router's match. */
  modelOf(found: string): string;
  /** Reports whether a path, with its escapes, matches the pattern or is below it. */
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

/** Splits the verb off a model name, which may contain colons: the verb is after the last one. */
export function splitVerb(named: string): { model: string; verb: string | undefined } {
  const at = named.lastIndexOf(':');
  return at < 0 ? { model: named, verb: undefined } : { model: named.slice(0, at), verb: named.slice(at + 1) };
}
