// Names that a body may have, found in the one scan that checks its names. Code that looks for such members searches only a body that has them:
// a body of plain texts is not searched.

/** A sum of `seenName`s: each is there if the body may have one of its members where a format reads them. */
export type SeenNames = number;

export const seenName = {
  /** Marks of prompts and options of their cache. A body with content that the scan does not read may have them too. */
  cache: 1,
  /** Calls of tools, and their results. */
  toolCalls: 2,
} as const;

/** A body that was not scanned may have every name. */
export const allNames: SeenNames = 3;

export const seenByName: ReadonlyMap<string, SeenNames> = new Map<string, SeenNames>([
  ['cache_control', seenName.cache],
  ['prompt_cache_breakpoint', seenName.cache],
  ['prompt_cache_options', seenName.cache],
  ['tool_calls', seenName.toolCalls],
  ['tool_call_id', seenName.toolCalls],
]);
