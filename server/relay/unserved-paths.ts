// Paths that vendors' formats have and that are not served here. Whoever calls one is told that, in the format of that vendor, and not
// that there is no such thing: libraries do not ask again then.
import type { ClientDialect } from '#server/dialects/client-dialect.ts';
import { clientDialects } from '#server/dialects/registry.ts';

interface UnservedPaths {
  dialect: ClientDialect;
  paths: RegExp;
}

/** As the vendors' own libraries name them. Those that several vendors have are the first one's. */
const unserved: readonly UnservedPaths[] = [
  { dialect: clientDialects['openai-chat'], paths: /^\/v1\/(?:chatkit|containers|organization|skills)(?:\/|$)/ },
  {
    dialect: clientDialects.claude,
    paths:
      /^\/v1\/(?:messages\/batches|complete|agents|deployment_runs|deployments|dreams|environments|memory_stores|organizations|sessions|tunnels|user_profiles|vaults)(?:\/|$)/,
  },
  {
    dialect: clientDialects.gemini,
    paths:
      /^\/v1(?:beta)?\/(?:auth_tokens|cachedContents|corpora|fileSearchStores|generatedFiles|operations|tunedModels|tuningJobs)(?:[/:]|$)/,
  },
  { dialect: clientDialects.gemini, paths: /^\/(?:v1beta\/(?:agents|batches|files|webhooks)|upload\/v1(?:beta)?)(?:[/:]|$)/ },
];

/** The format of the vendor that has something at this path, which is not served here; undefined: no vendor has, or it is served. */
export function unservedDialect(pathname: string): ClientDialect | undefined {
  return unserved.find(({ paths }) => paths.test(pathname))?.dialect;
}
