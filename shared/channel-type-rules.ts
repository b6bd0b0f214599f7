// What a channel's type demands of its key and its free field: in the console's form and on the server alike.
import { readAwsKey } from './aws-key.ts';
import { readRegions } from './channel-regions.ts';
import type { RegionsProblem } from './channel-regions.ts';
import { channelType } from './channel-types.ts';
import { readCodexKey } from './codex-key.ts';
import { readGoogleKey } from './google-key.ts';

/** `account_required`: its path names the account. `library_required`: nothing else says what is asked. */
export type OtherProblem = RegionsProblem | 'account_required' | 'library_required';
export type TypedKeyProblem = 'key_google' | 'key_aws' | 'key_codex';

/** What is wrong with the free field of a channel of that type. */
export function otherProblem(type: number, other: string): OtherProblem | undefined {
  const field = channelType(type)?.other;
  const isEmpty = other.trim() === '';
  if (field === 'account_id') return isEmpty ? 'account_required' : undefined;
  if (field === 'library_id') return isEmpty ? 'library_required' : undefined;
  if (field !== 'regions') return undefined;
  const read = readRegions(other);
  return 'problem' in read ? read.problem : undefined;
}

/** What is wrong with a key of a channel of that type, as it is stored. */
export function typedKeyProblem(type: number, key: string): TypedKeyProblem | undefined {
  const kind = channelType(type)?.keyKind;
  if (kind === 'aws') return readAwsKey(key) === null ? 'key_aws' : undefined;
  if (kind === 'codex') return readCodexKey(key) === null ? 'key_codex' : undefined;
  return kind === 'google' && readGoogleKey(key) === null ? 'key_google' : undefined;
}
