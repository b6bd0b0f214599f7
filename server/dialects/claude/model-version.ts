/**
 * Of a Claude model, 407 for 4.7. `claude-3-7-sonnet-…`, `claude-opus-4-6`, `anthropic.claude-sonnet-5`: names differ, the version is a
 * number in all; one without is of the newest. Null: no Claude.
 */
export function versionIn(model: string): number | null {
  const version = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(model);
  if (version === null) return model.includes('claude') ? Infinity : null;
  return Number(version[1]) * 100 + Number(version[2] ?? 0);
}
