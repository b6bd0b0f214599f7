// Paths of vendors' formats that are not served here. The error says so, on the surface of that vendor, instead of that they do not exist: libraries
// do not retry then.
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import { surfaces } from '#server/surfaces/registry.ts';

interface UnservedPaths {
  surface: ApiSurface;
  paths: RegExp;
}

/** As the vendors' own libraries name them. */
const unserved: readonly UnservedPaths[] = [
  {
    surface: surfaces.openai,
    paths:
      /^\/v1\/(?:agents|chatkit|containers|content_provenance_checks|decisions|live|organization|projects|safety|skills|vaults|webhook_endpoints|webhook_event_types)(?:\/|$)/,
  },
  {
    surface: surfaces.anthropic,
    paths:
      /^\/v1\/(?:complete|agents|deployment_runs|deployments|dreams|environments|memory_stores|organizations|sessions|skills|tunnels|user_profiles|vaults)(?:\/|$)/,
  },
  {
    surface: surfaces.gemini,
    paths: /^\/v1(?:beta)?\/(?:auth_tokens|corpora|fileSearchStores|generatedFiles|operations|tunedModels|tuningJobs)(?:[/:]|$)/,
  },
  { surface: surfaces.gemini, paths: /^\/(?:v1beta\/(?:agents|files|webhooks)|upload\/v1(?:beta)?)(?:[/:]|$)/ },
  { surface: surfaces.cohere, paths: /^\/v2\/(?:chat|embed)(?:\/|$)/ },
];

/**
 * Returns the surface of the vendor that has this path, if it is not served here; undefined: no vendor has it, or it is served.
 * @param headers select one if several vendors have it; by default the first one
 */
export function unservedSurface(pathname: string, headers: Headers): ApiSurface | undefined {
  const all = unserved.flatMap(({ surface, paths }) => (paths.test(pathname) ? [surface] : []));
  return all.find((surface) => surface.isSpokenWith?.(headers, noQuery) === true) ?? all[0];
}

const noQuery = new URLSearchParams();
