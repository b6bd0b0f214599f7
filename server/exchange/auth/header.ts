// Sends the key in a header named by the provider.
import type { Authorization } from './scheme.ts';

export function header(key: string, name: string, prefix = ''): Authorization {
  return { headers: { [name]: `${prefix}${key}` }, problem: null };
}
