// The key as a parameter of the address.
import type { Authorization } from './scheme.ts';

export function query(key: string, name: string): Authorization {
  const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
  return {
    headers: {},
    problem: null,
    sign: (request) => ({ ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${parameter}` }),
  };
}
