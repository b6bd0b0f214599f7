// Where a channel's models are: one region for all, or a JSON object of regions by model with one for all others (`default`).
// Regions become part of a host's name.

export type RegionsProblem = 'regions_required' | 'regions_default' | 'regions_invalid';

/** @returns by model; `default` is always there. Or what is wrong. */
export function readRegions(text: string): { regions: ReadonlyMap<string, string> } | { problem: RegionsProblem } {
  const typed = text.trim();
  if (typed === '') return { problem: 'regions_required' };
  const byModel = typed.startsWith('{') ? parsed(typed) : { default: typed };
  if (byModel === null) return { problem: 'regions_invalid' };
  const regions = new Map<string, string>();
  for (const [model, region] of Object.entries(byModel)) {
    if (typeof region !== 'string' || !/^[a-z][a-z0-9-]{0,62}$/.test(region.trim())) return { problem: 'regions_invalid' };
    regions.set(model, region.trim());
  }
  return regions.has('default') ? { regions } : { problem: 'regions_default' };
}

function parsed(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}
