// From Node's requests to those that handlers know.
import type { RequestListener } from 'node:http';
import { createServerAdapter } from '@whatwg-node/server';
import type { AppContext } from '#server/context.ts';
import type { Connection } from './connection.ts';
import { leanRequest } from './lean-request.ts';
import { type DirectResponse, fetchResponse, writeResponse } from './lean-response.ts';
import { requestPath } from './request-facts.ts';

interface Served {
  /** Never rejects. */
  serve(request: Request, connection: Connection): Promise<DirectResponse>;
  /** Whether the adapter is passed by at this path. */
  isDirect(path: string): boolean;
}

export function createListener({ log }: Pick<AppContext, 'log'>, { serve, isDirect }: Served): RequestListener {
  const adapter = createServerAdapter<Connection>((request, connection) => serve(request, connection).then(fetchResponse));

  /** Without the adapter, whose requests and responses cost a tenth of a call. */
  async function serveDirectly(request: Request, connection: Connection): Promise<void> {
    const { req, res } = connection;
    try {
      const response = await serve(request, connection);
      // What nobody has read of the request must not block the connection.
      if (!req.readableEnded && !req.destroyed) req.resume();
      await writeResponse(response, res);
    } catch (failure) {
      log.error({ err: failure }, 'a response could not be written');
      res.destroy();
    }
  }

  return (req, res) => {
    const request = leanRequest(req);
    void (isDirect(requestPath(request, { req, res })) ? serveDirectly(request, { req, res }) : adapter.handle(req, res));
  };
}
