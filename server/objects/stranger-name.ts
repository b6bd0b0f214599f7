// Replaces the provider's id of an object that no caller has: ids of a provider's account are not revealed.
import type { Secrets } from '#server/secrets/secrets.ts';

/** Returns the same id each time, with the kind of the provider's: `file-…`, `vs_…`. */
export function strangerName({ hash }: Pick<Secrets, 'hash'>, name: string): string {
  const [kind = ''] = /^[a-z]{1,12}[-_]/.exec(name) ?? [];
  return `${kind}${hash(`told of ${name}`).replace(/[-_]/g, 'x').slice(0, 24)}`;
}
