// Paths that vendors' formats have and that are not served here. Whoever calls one is told that, in the format of that vendor, and not
// that there is no such thing: libraries do not ask again then.
import { cohereCallers } from '#server/kinds/rerank/cohere-client.ts';
import type { ClientDialect } from '#server/formats/client-dialect.ts';
import { clientDialects } from '#server/formats/registry.ts';

interface UnservedPaths {
  dialect: ClientDialect;
  paths: RegExp;
}

/** As the vendors' own libraries name them. */
const unserved: readonly UnservedPaths[] = [
  {
    dialect: clientDialects['openai-chat'],
    paths:
      /^\/v1\/(?:agents|chatkit|containers|content_provenance_checks|decisions|live|organization|projects|safety|skills|vaults|webhook_endpoints|webhook_event_types)(?:\/|$)/,
  },
  {
    dialect: clientDialects.claude,
    paths:
      /^\/v1\/(?:complete|agents|deployment_runs|deployments|dreams|environments|memory_stores|organizations|sessions|skills|tunnels|user_profiles|vaults)(?:\/|$)/,
  },
  {
    dialect: clientDialects.gemini,
    paths: /^\/v1(?:beta)?\/(?:auth_tokens|corpora|fileSearchStores|generatedFiles|operations|tunedModels|tuningJobs)(?:[/:]|$)/,
  },
  { dialect: clientDialects.gemini, paths: /^\/(?:v1beta\/(?:agents|files|webhooks)|upload\/v1(?:beta)?)(?:[/:]|$)/ },
  { dialect: cohereCallers, paths: /^\/v2\/(?:chat|embed)(?:\/|$)/ },
];

/**
 * The format of the vendor that has something at this path, which is not served here; undefined: no vendor has, or it is served.
 * @param headers tell which one is meant where several have; otherwise it is the first one
 */
export function unservedDialect(pathname: string, headers: Headers): ClientDialect | undefined {
  const all = unserved.flatMap(({ dialect, paths }) => (paths.test(pathname) ? [dialect] : []));
  return all.find((dialect) => dialect.isSpokenWith?.(headers, noQuery) === true) ?? all[0];
}

const noQuery = new URLSearchParams();
