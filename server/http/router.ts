// Paths without parameters are found in a map, whatever their number; only the others are matched one by one. So the
// relay's routes cost the same with and without the console's hundred.
import { Router } from 'itty-router';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { Serve } from '#server/http/mount.ts';

type Served = Response | Promise<Response>;

export interface ServerRouter {
  /** `:name` is one part of the path, `:name+` all the rest, `:id` one that is a number: with anything else there is no such path. */
  add(method: string, path: string, serve: Serve): void;
  /** What is mounted, as `METHOD path`. */
  readonly routes: readonly string[];
  /** `path` is as `requestPath` makes it. Undefined when nothing is mounted there. */
  match(request: Request, path: string, connection: Connection | null): Served | Promise<Response | undefined> | undefined;
}

export function createRouter(): ServerRouter {
  const fixed = new Map<string, Serve>();
  const withParameters = Router();
  const routes: string[] = [];
  let hasParameters = false;
  return {
    routes,
    add(method, path, serve) {
      routes.push(`${method} ${path}`);
      const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
      if (plain.includes(':')) {
        hasParameters = true;
        withParameters.all(plain, (match, request: Request, connection: Connection | null) =>
          match.method === method && isNumbered(match.params) ? serve(request, decodeAll(match.params), connection) : undefined,
        );
        return;
      }
      const key = `${method} ${plain}`;
      if (fixed.has(key)) throw new Error(`Two routes claim ${key}`);
      fixed.set(key, serve);
    },
    match(request, path, connection) {
      const serve = fixed.get(`${request.method} ${path}`);
      if (serve !== undefined) return serve(request, {}, connection);
      if (!hasParameters) return undefined;
      return withParameters.fetch({ method: request.method, url: `http://localhost${path}` }, request, connection);
    },
  };
}

/** Longer numbers are no ids; they would lose their last digits. */
function isNumbered({ id }: Record<string, string>): boolean {
  return id === undefined || /^\d{1,15}$/.test(id);
}

/** @throws {AppError} `invalid_url` on a broken percent escape */
function decodeAll(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new AppError('invalid_url', {}, { cause });
  }
}
