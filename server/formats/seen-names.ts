// Names that occur in a body, found by the scan that checks its names. Code that looks for such members skips bodies without
// them, such as bodies of plain texts.

/** Bit set of `seenName`: a bit is set if the body may have one of the members where a format reads them. */
export type SeenNames = number;

export const seenName = {
  /** Cache marks and cache options. Also set if the body has content that the scan does not read. */
  cache: 1,
  /** Tool calls and results. */
  toolCalls: 2,
} as const;

/** All bits, for a body that was not scanned. */
export const allNames: SeenNames = 3;

export const seenByName: ReadonlyMap<string, SeenNames> = new Map<string, SeenNames>([
  ['cache_control', seenName.cache],
  ['prompt_cache_breakpoint', seenName.cache],
  ['prompt_cache_options', seenName.cache],
  ['tool_calls', seenName.toolCalls],
  ['tool_call_id', seenName.toolCalls],
]);
