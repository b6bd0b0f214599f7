// Table of the relay's endpoints: path, format, and kind of call. To add one, add a line.
import type { CallKind } from '#server/kinds/call-kind.ts';
import { callKinds } from '#server/kinds/registry.ts';
import { cohereRerank } from '#server/kinds/rerank/cohere-client.ts';
import type { ApiSurface } from '#server/surfaces/api-surface.ts';
import type { ClientCall, ClientDialect } from '#server/formats/client-dialect.ts';
import type { SocketDialect } from '#server/formats/socket-dialect.ts';
import { clientDialects, openaiDialect } from '#server/formats/registry.ts';
import { defaultSurface, surfaceOf, surfaces } from '#server/surfaces/registry.ts';
import { isObject } from '#server/framing/loose-json.ts';
import { type PathPattern, pathPattern } from '#server/call/path-pattern.ts';
import { unservedSurface } from '#server/call/unserved-paths.ts';

export type RelayBody = Record<string, unknown>;

export interface RelayEndpoint extends ClientCall {
  /** Path, in which `{model}` stands for the model, which `:verb` may follow. */
  path: string;
  pattern: PathPattern;
  kind: CallKind;
  /** Client format. */
  dialect: ClientDialect;
  /** API surface of errors, headers and model lists. */
  surface: ApiSurface;
  /** How callers authenticate: by a key, or by a console session. */
  callers: 'keys' | 'sessions';
  /** Endpoint for bodies of another format on this path. If undefined, none. */
  ofOtherShape?: RelayEndpoint;
  /** WebSocket protocol at this path. If undefined, none. */
  socket?: SocketDialect;
}

export const relayEndpoints: readonly RelayEndpoint[] = [
  {
    ...endpoint('/v1/chat/completions', clientDialects['openai-chat'], callKinds.chat),
    ofOtherShape: endpoint('/v1/chat/completions', clientDialects['openai-mixed'], callKinds.chat),
  },
  // Endpoints of the console's playground.
  ofSessions('/pg/chat/completions', callKinds.chat),
  ofSessions('/pg/responses', callKinds.chat, clientDialects['openai-responses']),
  ofSessions('/pg/messages', callKinds.chat, clientDialects.claude),
  ofSessions('/pg/v1beta/models/{model}:streamGenerateContent', callKinds.chat, clientDialects.gemini),
  ofSessions('/pg/images/generations', callKinds.images),
  ofSessions('/pg/images/edits', callKinds.image_edits),
  ofSessions('/pg/audio/speech', callKinds.speech),
  ofSessions('/pg/audio/transcriptions', callKinds.transcriptions),
  ofSessions('/pg/audio/translations', callKinds.translations),
  endpoint('/v1/completions', clientDialects['openai-completions'], callKinds.completions),
  // Path of Mistral's SDKs.
  endpoint('/v1/fim/completions', openaiDialect, callKinds.fim),
  endpoint('/v1/embeddings', openaiDialect, callKinds.embeddings),
  endpoint('/v1/engines/{model}/embeddings', openaiDialect, callKinds.embeddings),
  endpoint('/v1/images/generations', openaiDialect, callKinds.images),
  endpoint('/v1/images/edits', openaiDialect, callKinds.image_edits),
  endpoint('/v1/images/variations', openaiDialect, callKinds.image_variations),
  endpoint('/v1/audio/speech', openaiDialect, callKinds.speech),
  endpoint('/v1/audio/transcriptions', openaiDialect, callKinds.transcriptions),
  endpoint('/v1/audio/translations', openaiDialect, callKinds.translations),
  endpoint('/v1/moderations', openaiDialect, callKinds.moderations),
  endpoint('/v1/rerank', openaiDialect, callKinds.rerank),
  { ...endpoint('/v2/rerank', openaiDialect, callKinds.rerank), ...cohereRerank, surface: surfaces.cohere },
  { ...endpoint('/v1/responses', clientDialects['openai-responses'], callKinds.chat), socket: clientDialects['openai-responses'].socket },
  { ...endpoint('/v1/responses/compact', clientDialects['openai-responses'], callKinds.chat), isCompaction: true },
  endpoint('/v1/responses/input_tokens', clientDialects['openai-responses'], callKinds.count_tokens),
  endpoint('/v1/messages', clientDialects.claude, callKinds.chat),
  endpoint('/v1/messages/count_tokens', clientDialects.claude, callKinds.count_tokens),
  ...['/v1beta/models/{model}', '/v1beta/{tunedModels/model}', '/v1/models/{model}', '/v1/{tunedModels/model}'].flatMap((path) => [
    endpoint(`${path}:generateContent`, clientDialects.gemini, callKinds.chat),
    endpoint(`${path}:streamGenerateContent`, clientDialects.gemini, callKinds.chat),
    endpoint(`${path}:countTokens`, clientDialects.gemini, callKinds.count_tokens),
    endpoint(`${path}:embedContent`, clientDialects.gemini, callKinds.embeddings),
    endpoint(`${path}:batchEmbedContents`, clientDialects.gemini, callKinds.embeddings),
    endpoint(`${path}:predict`, clientDialects.gemini, callKinds.images),
  ]),
  // Google's SDKs use either path.
  ...['/v1/interactions', '/v1beta/interactions'].map((path) => endpoint(path, clientDialects['gemini-interactions'], callKinds.chat)),
];

/** Endpoint of realtime sessions, which are WebSockets only. */
export const realtimeEndpoint: RelayEndpoint = endpoint('/v1/realtime', openaiDialect, callKinds.realtime);

function endpoint(path: string, dialect: ClientDialect, kind: CallKind): RelayEndpoint {
  const call = kind.clientCall(dialect);
  if (call === undefined) throw new Error(`${dialect.title} has no call of the kind ${kind.name}`);
  return { ...call, path, pattern: pathPattern(path), kind, dialect, surface: dialect.surface, callers: 'keys' };
}

function ofSessions(path: string, kind: CallKind, dialect: ClientDialect = openaiDialect): RelayEndpoint {
  return { ...endpoint(path, dialect, kind), callers: 'sessions' };
}

/** Returns the endpoint for a body, which depends on its format if the path has several. */
export function endpointOf(requested: RelayEndpoint, body: unknown): RelayEndpoint {
  const { ofOtherShape: other } = requested;
  return other !== undefined && isObject(body) && other.dialect.isShapeOf?.(body) === true ? other : requested;
}

/** Returns the API surface that callers expect at a path, even if nothing is served there. */
export function surfaceAt(pathname: string, headers = noHeaders): ApiSurface {
  const found = relayEndpoints.find(({ pattern }) => pattern.covers(pathname));
  const surface = found?.surface ?? unservedSurface(pathname, headers);
  if (surface !== undefined) return surface;
  const own = ownStarts.get(startOf(pathname)) ?? defaultSurface;
  // Several vendors have paths below `/v1`.
  return own === defaultSurface ? surfaceOf(headers, noQuery) : own;
}

/** Paths of vendors' APIs that are not served. Their error states that, instead of an unknown path. */
const missingKinds =
  /^\/v1\/(?:assistants|audio|batches|edits|evals|files|fine-tunes|fine_tuning|realtime|threads|uploads|vector_stores|videos)(?:\/|$)/;

const noHeaders = new Headers();
const noQuery = new URLSearchParams();

export function isMissingKind(pathname: string): boolean {
  return missingKinds.test(pathname) || unservedSurface(pathname, noHeaders) !== undefined;
}

/** Returns the first segment of a path: `/v1beta` of `/v1beta/models`. */
function startOf(pathname: string): string {
  const end = pathname.indexOf('/', 1);
  return end < 0 ? pathname : pathname.slice(0, end);
}

/** Surfaces by first segment: that of the first endpoint in the table. */
const ownStarts: ReadonlyMap<string, ApiSurface> = new Map(
  relayEndpoints.toReversed().map(({ path, surface }) => [startOf(path), surface]),
);
