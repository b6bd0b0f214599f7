// Serves calls about stored objects: authenticates the key, and reports failures in the caller's format.
import { ownerIn } from '#server/tokens/object-owner.ts';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import type { BodyHold } from '#server/http/bodies.ts';
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import { defaultSurface, surfaceOf, surfaces } from '#server/surfaces/registry.ts';
import { partBytes } from '#server/framing/part-budget.ts';
import { toAppError } from '#server/http/failure.ts';
import { bufferResponse, type DirectResponse, streamResponse } from '#server/http/lean-response.ts';
import type { RouteHost, ServeDirectly } from '#server/http/mount.ts';
import { inSteps } from '#server/http/in-steps.ts';
import { WrittenBody } from '#server/http/written-body.ts';
import { isLong, parseBody } from '#server/http/parse-body.ts';
import { PiecedBody } from '#server/framing/byte-source.ts';
import { LongTexts } from '#server/framing/long-json.ts';
import { bodyOfPieces } from '#server/framing/written-json.ts';
import { freeBytes } from '#server/framing/free-bytes.ts';
import { parseLongJson, readLongJson } from '#server/framing/read-long-json.ts';
import { limitStoredCalls } from '#server/http/rate-limit.ts';
import { dropBody, readBody } from '#server/http/read-body.ts';
import { type KeyAdmission, storesNothing } from '#server/call/admission/admission.ts';
import { inFirstGroup } from '#server/call/admission/auto-group.ts';
import { noteRefusal } from '#server/call/admission/note-refusal.ts';
import { errorResponse, gatewayError, requestIdHeaders } from '#server/call/relay-failure.ts';
import type { RelayServices } from '#server/call/services.ts';
import { measured } from './long-bodies.ts';

/** Characters from which texts of a response are not copied. */
const leastApart = 4 * 1024;

export interface StoredCaller {
  admission: KeyAdmission;
  userId: number;
  /** As in `ObjectOwner`: with `userId`, the caller is the owner of objects. */
  memberId?: number | undefined;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  requestId: string;
  /** Surface of errors and headers. */
  surface: ApiSurface;
  path: string;
  request: Request;
  connection: Connection | null;
  /**
   * Reserves memory for stored bytes that are read and returned, counted as bodies of the owner until they are sent.
   * @param parts number of parts if parsed; undefined if not
   * @throws {AppError} `bodies_of_caller`, `bodies_of_server`
   */
  makeRoom(bytes: number, parts?: number): void;
  /**
   * Reads the request's body.
   * @throws {AppError} as `readBody` and `parseBody`
   */
  readBody(): Promise<unknown>;
}

/** An object to serialize, its JSON, or a complete response. */
export type StoredAnswer = { json: object } | { pieces: readonly string[] } | { response: DirectResponse };

/** @param surface surface of errors and headers */
export function createServer(host: RouteHost, services: RelayServices, surface: ApiSurface = surfaces.codex) {
  const { context, gate } = services;
  /** Returns the surface of an error: other vendors' SDKs share some of these paths. */
  const presentedOn = ({ headers }: Request, { searchParams }: URL): ApiSurface => {
    const requested = surface.vendor === 'openai' ? surfaceOf(headers, searchParams) : surface;
    return requested === defaultSurface ? surface : requested;
  };
  return (serve: (caller: StoredCaller) => Promise<StoredAnswer>): ServeDirectly =>
    async (request, params, connection) => {
      const { requestId, language, url, ip } = host.facts(request, connection);
      const held: BodyHold[] = [];
      const open = (userId: number) => {
        const hold = context.bodies.open(`user:${userId}`);
        held.push(hold);
        return hold;
      };
      try {
        const admitted = await gate.admit(request);
        gate.checkUse(admitted, ip);
        if (storesNothing(admitted) && isWriting(request, url)) throw new AppError('storing_denied');
        const admission = inFirstGroup(context.settings, admitted);
        const userId = admission.user.id;
        await limitStoredCalls(context, userId);
        const body = () => readJson(context, { request, connection, userId, hold: open(userId) });
        const makeRoom = (bytes: number, parts = 0) => {
          // Memory for the stored and the parsed form, up to the largest body.
          open(userId).grow(Math.min(bytes, context.env.MAX_REQUEST_BODY_MB * 1_000_000) * 2 + parts * partBytes);
        };
        const answer = await serve({
          admission,
          ...ownerIn(admission),
          params,
          query: url.searchParams,
          requestId,
          surface,
          path: url.pathname,
          request,
          connection,
          makeRoom,
          readBody: body,
        });
        if ('response' in answer) return answer.response;
        const reported = 'pieces' in answer ? bodyOfPieces(answer.pieces) : new LongTexts(undefined, leastApart).bytesOf(answer.json);
        if (!(reported instanceof PiecedBody)) return jsonResponse({ surface, requestId }, reported);
        await measured(reported);
        return streamResponse(
          200,
          { ...headersOf({ surface, requestId }), 'content-length': String(reported.size) },
          new WrittenBody(reported),
        );
      } catch (failure) {
        if (connection !== null) dropBody(connection);
        const error = toAppError(failure, context, requestId);
        noteRefusal(services, error, { request, connection, requestId, progress: { requestId, model: '' } });
        return errorResponse(presentedOn(request, url), gatewayError(error, language, requestId), requestId, error.retryAfter);
      } finally {
        endWith(connection, held);
      }
    };
}

/** What was stored before can be read, searched, ended and deleted. */
const endings = /[/:](?:cancel|pause|search)$/;

function isWriting({ method }: Request, { pathname }: URL): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'DELETE' && !endings.test(pathname);
}

/** @param text JSON */
export function jsonResponse(caller: Pick<StoredCaller, 'surface' | 'requestId'>, text: Buffer): DirectResponse {
  return bufferResponse(200, headersOf(caller), text);
}

function headersOf({ surface, requestId }: Pick<StoredCaller, 'surface' | 'requestId'>): Record<string, string> {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { ...headers, ...requestIdHeaders(surface, requestId) };
}

/** Releases memory when the response is sent, however slow the client is. */
function endWith(connection: Connection | null, held: readonly BodyHold[]): void {
  if (held.length === 0) return;
  const release = () => {
    for (const hold of held) hold.shrinkTo(0);
  };
  const res = connection?.res;
  if (res === undefined || res.closed || res.destroyed) release();
  else res.once('close', release);
}

/** Reads and parses the JSON body of a request. `hold` counts its memory. */
async function readJson(
  context: RelayServices['context'],
  { request, connection, userId, hold }: { request: Request; connection: Connection | null; userId: number; hold: BodyHold },
): Promise<unknown> {
  const { bodies, env } = context;
  const raw = await readBody({ request, connection, limit: env.MAX_REQUEST_BODY_MB * 1_000_000, hold, watch: bodies.watch });
  if (raw.bytes.length === 0) return {};
  const owner = `user:${userId}`;
  const long = isLong(raw) ? await inSteps(bodies, owner, readLongJson(raw.bytes)) : null;
  if (long === null) return (await parseBody(raw, bodies, owner)).value;
  freeBytes(raw.bytes);
  await inSteps(bodies, owner, long.texts.settle());
  return bodies.inTurn(owner, () => parseLongJson(long));
}
