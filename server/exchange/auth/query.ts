// Sends the key as a query parameter.
import type { Authorization } from './scheme.ts';

export function query(key: string, name: string): Authorization {
  const parameter = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
  return {
    headers: {},
    problem: null,
    sign: (request) => ({ ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${parameter}` }),
  };
}
