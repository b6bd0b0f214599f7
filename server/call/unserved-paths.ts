// Paths of vendors' APIs that are not served. Their error, on the vendor's surface, states that, and SDKs do not retry.
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import { surfaces } from '#server/surfaces/registry.ts';

interface UnservedPaths {
  surface: ApiSurface;
  paths: RegExp;
}

/** Paths as in the vendors' SDKs. */
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
 * Returns the surface of the vendor of an unserved path; undefined if no vendor has the path, or it is served.
 * @param headers headers that select a vendor if several have the path; by default the first
 */
export function unservedSurface(pathname: string, headers: Headers): ApiSurface | undefined {
  const all = unserved.flatMap(({ surface, paths }) => (paths.test(pathname) ? [surface] : []));
  return all.find((surface) => surface.isSpokenWith?.(headers, noQuery) === true) ?? all[0];
}

const noQuery = new URLSearchParams();
