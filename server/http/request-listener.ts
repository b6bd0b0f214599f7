// Adapts Node's requests for handlers.
import { type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createServerAdapter } from '@whatwg-node/server';
import type { AppContext } from '#server/context.ts';
import { belowBase, originForm } from './base-path.ts';
import type { Connection } from './connection.ts';
import { leanRequest } from './lean-request.ts';
import { type DirectResponse, fetchResponse, writeResponse } from './lean-response.ts';
import { requestPath } from './request-facts.ts';

interface Served {
  /** Never rejects. */
  serve(request: Request, connection: Connection): Promise<DirectResponse>;
  /** Reports whether this path bypasses the adapter. */
  isDirect(path: string): boolean;
}

export interface Listeners {
  request: RequestListener;
  /** Handles WebSocket upgrade requests. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

export function createListeners({ log, env }: Pick<AppContext, 'log' | 'env'>, { serve, isDirect }: Served): Listeners {
  const adapter = createServerAdapter<Connection>((request, connection) => serve(request, connection).then(fetchResponse));

  /** Bypasses the adapter, whose requests and responses cost a tenth of a call. */
  async function serveDirectly(request: Request, connection: Connection): Promise<void> {
    const { req, res, upgrade } = connection;
    try {
      const response = await serve(request, connection);
      // An unread request body must not block the connection.
      if (upgrade === undefined && !req.readableEnded && !req.destroyed) req.resume();
      const writing = writeResponse(response, res);
      if (writing instanceof Promise) await writing;
    } catch (failure) {
      log.error({ err: failure }, 'a response could not be written');
      res.destroy();
    }
  }

  /** Returns false if the request has been answered: relative addresses of the page need the slash. */
  function isBelowBase(req: IncomingMessage, res: ServerResponse): boolean {
    const sent = originForm(req.url ?? '/');
    const target = belowBase(env.BASE_PATH, sent);
    if (target !== undefined) {
      req.url = target;
      return true;
    }
    const query = sent.slice(env.BASE_PATH.length);
    res.writeHead(308, { location: `${env.BASE_PATH}/${query}`, 'cache-control': 'no-store' }).end();
    return false;
  }

  return {
    request(req, res) {
      if (env.BASE_PATH !== '' && !isBelowBase(req, res)) return;
      atRelay(req);
      const request = leanRequest(req);
      void (isDirect(requestPath(request, { req, res })) ? serveDirectly(request, { req, res }) : adapter.handle(req, res));
    },
    upgrade(req, socket, head) {
      const res = new ServerResponse(req);
      // Response for requests that get no socket, the last on this connection.
      res.shouldKeepAlive = false;
      res.assignSocket(socket);
      res.once('finish', () => socket.destroySoon());
      if (env.BASE_PATH !== '' && !isBelowBase(req, res)) return;
      atRelay(req);
      void serveDirectly(leanRequest(req), { req, res, upgrade: { socket, head } });
    },
  };
}

const openRouterPrefix = '/api/v1/';

/** The base address of OpenRouter's clients ends in `/api/v1`: of one that is given this server's instead, the paths are those of `/v1`. */
function atRelay(req: IncomingMessage): void {
  if (req.url?.startsWith(openRouterPrefix) === true) req.url = req.url.slice('/api'.length);
}
