// Claude's model names at hosts: with the release date up to 4.5, without one since.

/** Vendor's aliases and the names at hosts. https://platform.claude.com/docs/en/about-claude/models/overview */
const aliases: Readonly<Record<string, string>> = {
  'claude-3-haiku-latest': 'claude-3-haiku-20240307',
  'claude-3-opus-latest': 'claude-3-opus-20240229',
  'claude-3-5-sonnet-latest': 'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-latest': 'claude-3-5-haiku-20241022',
  'claude-3-7-sonnet-latest': 'claude-3-7-sonnet-20250219',
  'claude-sonnet-4-0': 'claude-sonnet-4-20250514',
  'claude-opus-4-0': 'claude-opus-4-20250514',
  'claude-4-sonnet-20250514': 'claude-sonnet-4-20250514',
  'claude-4-opus-20250514': 'claude-opus-4-20250514',
  'claude-opus-4-1': 'claude-opus-4-1-20250805',
  'claude-sonnet-4-5': 'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-5-20250929-v1:0': 'claude-sonnet-4-5-20250929',
  'claude-haiku-4-5': 'claude-haiku-4-5-20251001',
  'claude-opus-4-5': 'claude-opus-4-5-20251101',
};

/** Dated names at hosts. */
const dated: ReadonlySet<string> = new Set([...Object.values(aliases), 'claude-3-sonnet-20240229', 'claude-3-5-sonnet-20240620']);

/** Maps any of the vendor's names to the name at hosts; `claude-opus-4.6` becomes `claude-opus-4-6`. */
export function datedClaude(model: string): string {
  const name = model.replaceAll(/(\d)\.(?=\d)/g, '$1-');
  const found = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (found !== undefined) return found;
  return dated.has(name) ? name : name.replace(/-\d{8}$/, '');
}
