// Forms of the key of a Google Cloud channel: the JSON of a service account, the file of application default credentials that `gcloud` writes, or an
// API key. Used by the console's form and by the server.
import { z } from 'zod/mini';

const Filled = z.string().check(z.minLength(1));
const TokenUri = z.optional(z.url({ protocol: /^https?$/ }));

/** https://cloud.google.com/iam/docs/keys-create-delete */
const ServiceAccount = z.object({
  type: z.literal('service_account'),
  project_id: Filled,
  client_email: Filled,
  private_key: Filled,
  token_uri: TokenUri,
});
export type ServiceAccount = z.infer<typeof ServiceAccount>;

/** https://cloud.google.com/docs/authentication/application-default-credentials#personal */
const AuthorizedUser = z.object({
  type: z.literal('authorized_user'),
  client_id: Filled,
  client_secret: Filled,
  refresh_token: Filled,
  /** The only member of the file that names the project. */
  quota_project_id: Filled,
  token_uri: TokenUri,
});
export type AuthorizedUser = z.infer<typeof AuthorizedUser>;

const KeyFile = z.discriminatedUnion('type', [ServiceAccount, AuthorizedUser]);

export type GoogleKey = ServiceAccount | AuthorizedUser | { type: 'api_key'; key: string };

/** Null: it looks like a file, and is none that can be used. */
export function readGoogleKey(text: string): GoogleKey | null {
  const key = text.trim();
  if (!key.startsWith('{')) return key === '' ? null : { type: 'api_key', key };
  try {
    return z.safeParse(KeyFile, JSON.parse(key)).data ?? null;
  } catch {
    return null;
  }
}

/** Returns the project that is called and billed; undefined: an API key belongs to a project without naming it. */
export function projectOf(key: GoogleKey): string | undefined {
  if (key.type === 'api_key') return undefined;
  return key.type === 'service_account' ? key.project_id : key.quota_project_id;
}
