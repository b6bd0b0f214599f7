// Router: paths without parameters are found in a map, others are matched one by one, so that relay routes cost the
// same with and without the console.
import { Router } from 'itty-router';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { DirectResponse } from '#server/http/lean-response.ts';
import type { Serve, ServeDirectly } from '#server/http/mount.ts';

export interface ServerRouter {
  /** `:name` is one path segment, `:name+` the rest, `:id` a number; other values do not match. */
  add(method: string, path: string, serve: Serve): void;
  /** Mounted routes as `METHOD path`. */
  readonly routes: readonly string[];
  /** Adds a route that bypasses the fetch adapter, together with all paths with the same first segment. */
  addDirect(method: string, path: string, serve: ServeDirectly): void;
  /** Reports whether the path bypasses the fetch adapter, also if nothing is mounted there. */
  isDirect(path: string): boolean;
  /** `path` is from `requestPath`. Returns undefined if nothing is mounted there. */
  match(request: Request, path: string, connection: Connection | null): DirectResponse | Promise<DirectResponse | undefined> | undefined;
}

export function createRouter(): ServerRouter {
  const fixed = new Map<string, ServeDirectly>();
  const directStarts = new Set<string>();
  const withParameters = Router();
  const routes: string[] = [];
  let hasParameters = false;

  function add(method: string, path: string, serve: ServeDirectly): void {
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
  }

  return {
    routes,
    add,
    addDirect(method, path, serve) {
      // The console's streams need the adapter, and a direct route claims its whole first segment.
      if (startOf(path) === startOf('/api/')) throw new Error(`${path} cannot pass the adapter by`);
      directStarts.add(startOf(path));
      add(method, path, serve);
    },
    isDirect: (path) => directStarts.has(startOf(path)),
    match(request, path, connection) {
      const serve = fixed.get(`${request.method} ${path}`);
      if (serve !== undefined) return serve(request, {}, connection);
      if (!hasParameters) return undefined;
      return withParameters.fetch({ method: request.method, url: `http://localhost${path}` }, request, connection);
    },
  };
}

/** First segment: `/v1` of `/v1/models`. */
function startOf(path: string): string {
  const end = path.indexOf('/', 1);
  return end === -1 ? path : path.slice(0, end);
}

/** Longer numbers are no ids; they would lose digits. */
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
