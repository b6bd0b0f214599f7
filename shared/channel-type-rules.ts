// What a channel's type demands of its key and its free field: in the console's form and on the server alike.
import { readAwsKey } from './aws-key.ts';
import { readRegions, type RegionsProblem } from './channel-regions.ts';
import { channelType } from './channel-types.ts';
import { readCodexKey } from './codex-key.ts';
import { readDifyApp } from './dify-app.ts';
import type { LocalText } from './errors.ts';
import { readGoogleKey } from './google-key.ts';

/**
 * `account_required`: the path contains the account. `library_required`: the request cannot be routed without it. `app_invalid`: unknown kind of
 * application.
 */
export type OtherProblem = RegionsProblem | 'account_required' | 'library_required' | 'app_invalid';
/** `key_form`: it has none of the type's `keyForms`. */
export type TypedKeyProblem = 'key_google' | 'key_aws' | 'key_codex' | 'key_form';

/** What is wrong with the free field of a channel of that type. */
export function otherProblem(type: number, other: string): OtherProblem | undefined {
  const field = channelType(type)?.other;
  const isEmpty = other.trim() === '';
  if (field === 'account_id') return isEmpty ? 'account_required' : undefined;
  if (field === 'library_id') return isEmpty ? 'library_required' : undefined;
  if (field === 'dify_app') return readDifyApp(other) === null ? 'app_invalid' : undefined;
  if (field !== 'regions') return undefined;
  const read = readRegions(other);
  return 'problem' in read ? read.problem : undefined;
}

/** What is wrong with a key of a channel of that type, as it is stored. */
export function typedKeyProblem(type: number, key: string): TypedKeyProblem | undefined {
  const { keyKind: kind, keyForms } = channelType(type) ?? {};
  if (keyForms !== undefined) return keyForms.some((form) => hasForm(key, form)) ? undefined : 'key_form';
  if (kind === 'aws') return readAwsKey(key) === null ? 'key_aws' : undefined;
  if (kind === 'codex') return readCodexKey(key) === null ? 'key_codex' : undefined;
  return kind === 'google' && readGoogleKey(key) === null ? 'key_google' : undefined;
}

/** `SecretId|SecretKey or AppId|SecretId|SecretKey`; empty where a key is one opaque text. */
export function keyFormsText(type: number): LocalText {
  const forms = channelType(type)?.keyForms ?? [];
  return { zh: forms.join(' 或 '), en: forms.join(' or ') };
}

/** Where the form has one part, there is nothing to take apart but what would be a form of several. */
function hasForm(key: string, form: string): boolean {
  const separator = form.includes('.') ? '.' : '|';
  const parts = key.split(separator).map((part) => part.trim());
  return parts.length === form.split(separator).length && parts.every((part) => part !== '');
}
