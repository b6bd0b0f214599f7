// The key alone in a header of the provider's own.
import type { Authorization } from './scheme.ts';

export function header(key: string, name: string, prefix = ''): Authorization {
  return { headers: { [name]: `${prefix}${key}` }, problem: null };
}
