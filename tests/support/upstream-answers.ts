// What the fake upstream answers, by the path of a call: each format has its own.
import { readSpeech, readTranscript, spokenPieces, spokenUsage, transcriptEvents, transcriptOf } from './audio-responses.ts';
import { messageEvents, messageOf, readMessages } from './claude-responses.ts';
import { geminiEvents, geminiModel, geminiResponse, readGemini, readGeminiEmbedding } from './gemini-responses.ts';
import { imageEvents, imagesOf, readImages } from './image-responses.ts';
import { moderationOf } from './moderation-responses.ts';
import { completionChunks, completionOf, readCompletion } from './openai-completions.ts';
import { readResponses, responseEvents, responseOf } from './openai-responses.ts';
import { rerankingOf } from './rerank-responses.ts';
import type { Behaviour, UpstreamError } from './upstream-behaviour.ts';
import { type Answer, deliver } from './upstream-delivery.ts';
import { type Exchange, randomId } from './upstream-exchange.ts';
import {
  chatChunks,
  chatCompletion,
  embeddingList,
  errorFor,
  isObject,
  isRefusal,
  modelObject,
  readChat,
  readEmbedding,
} from './upstream-responses.ts';

/** Null: there is no such path. */
export function answerOf(exchange: Exchange, behaviour: Behaviour): Answer | UpstreamError | null {
  const { method, body, headers, files } = exchange.request;
  const path = exchange.request.path.replace(/\?.*$/, '');
  if (exchange.isGemini) return ofGemini(exchange.request.path, body, behaviour);
  if (method !== 'POST') return null;
  if (path.endsWith('/embeddings')) return ofOne(readEmbedding(body), (request) => embeddingList(request, behaviour));
  if (path.endsWith('/rerank')) return ofOne(rerankingOf(body, behaviour), (response) => response);
  if (path.endsWith('/moderations')) return ofOne(moderationOf(body, behaviour), (response) => response);
  if (/\/images\/(?:generations|edits|variations)$/.test(path))
    return ofImages(readImages(body, path.split('/').at(-1) ?? '', files), behaviour);
  if (path.endsWith('/audio/speech')) return ofSpeech(readSpeech(body), behaviour);
  if (/\/audio\/(?:transcriptions|translations)$/.test(path))
    return ofTranscript(readTranscript(body, path.split('/').at(-1) ?? '', files), behaviour);
  if (path.endsWith('/count_tokens')) return whole({ input_tokens: 4242 });
  if (path.endsWith('/responses/input_tokens')) return whole({ object: 'response.input_tokens', input_tokens: 4242 });
  if (path.endsWith('/messages')) return ofClaude(body, String(headers['anthropic-beta'] ?? ''), behaviour);
  if (path.endsWith('/responses')) return ofResponses(body, behaviour);
  if (path.endsWith('/fim/completions') && isObject(body))
    return ofChat({ ...body, messages: [{ role: 'user', content: body['prompt'] }] }, behaviour);
  if (path.endsWith('/completions') && !path.endsWith('/chat/completions')) return ofCompletions(body, behaviour);
  if (path.endsWith('/chat/completions') || (isObject(body) && 'messages' in body)) return ofChat(body, behaviour);
  return null;
}

/** Lists of models, and single ones. False: it is another call. */
export async function answerModels(exchange: Exchange, behaviour: Behaviour, models: readonly string[]): Promise<boolean> {
  if (exchange.request.method !== 'GET') return false;
  const path = exchange.request.path.replace(/\?.*$/, '');
  const single = /\/models\/(.+)$/.exec(path)?.[1];
  if (exchange.isGemini) await exchange.json({ models: models.map(geminiModel) }, behaviour);
  else if (path.endsWith('/models')) await exchange.json({ object: 'list', data: models.map(modelObject) }, behaviour);
  else if (single === undefined) return false;
  else {
    const name = decodeURIComponent(single);
    await (models.includes(name) ? exchange.json(modelObject(name), behaviour) : exchange.refuse(404, errorFor(404), behaviour));
  }
  return true;
}

export async function answer(exchange: Exchange, behaviour: Behaviour): Promise<void> {
  const reported = answerOf(exchange, behaviour);
  if (reported === null) {
    const { method, path } = exchange.request;
    const message = `Invalid URL (${method} ${path.replace(/\?.*$/, '')})`;
    return exchange.refuse(404, { message, type: 'invalid_request_error', param: null, code: null }, behaviour);
  }
  return isRefusal(reported) ? exchange.refuse(400, reported, behaviour) : deliver(exchange, reported, behaviour);
}

function whole(response: object): Answer {
  return { isStream: false, whole: () => response, events: () => [] };
}

function ofOne<Read extends object>(read: Read | UpstreamError, responseTo: (request: Read) => object): Answer | UpstreamError {
  return isRefusal(read) ? read : whole(responseTo(read));
}

function typeOf(event: object): string | undefined {
  return 'type' in event && typeof event.type === 'string' ? event.type : undefined;
}

function ofChat(body: unknown, behaviour: Behaviour): Answer | UpstreamError {
  const request = readChat(body);
  if (isRefusal(request)) return request;
  const id = `chatcmpl-${randomId(29)}`;
  const events = () => chatChunks({ ...request, stream: true }, behaviour, id);
  return { isStream: request.stream, whole: () => chatCompletion(request, behaviour, id), events, done: '[DONE]' };
}

function ofCompletions(body: unknown, behaviour: Behaviour): Answer | UpstreamError {
  const request = readCompletion(body);
  if (isRefusal(request)) return request;
  const events = () => completionChunks(request, behaviour);
  return { isStream: request.stream, whole: () => completionOf(request, behaviour), events, done: '[DONE]' };
}

function ofClaude(body: unknown, betas: string, behaviour: Behaviour): Answer | UpstreamError {
  const request = readMessages(body, betas);
  if (isRefusal(request)) return request;
  const id = `msg_${randomId(24)}`;
  const events = () => messageEvents(request, behaviour, id);
  const isDone = (event: object) => typeOf(event) === 'message_stop';
  return { isStream: request.stream, whole: () => messageOf(request, behaviour, id), events, nameOf: typeOf, isDone };
}

function ofResponses(body: unknown, behaviour: Behaviour): Answer | UpstreamError {
  const request = readResponses(body);
  if (isRefusal(request)) return request;
  const id = `resp_${randomId(24)}`;
  const events = () => responseEvents(request, behaviour, id);
  const isDone = (event: object, index: number) => 'response' in event && index > 1;
  return { isStream: request.stream, whole: () => responseOf(request, behaviour, id), events, nameOf: typeOf, isDone };
}

function ofImages(request: ReturnType<typeof readImages>, behaviour: Behaviour): Answer | UpstreamError {
  if (isRefusal(request)) return request;
  return {
    isStream: request.stream,
    whole: () => imagesOf(request, behaviour),
    events: () => imageEvents(request, behaviour),
    nameOf: typeOf,
  };
}

function ofSpeech(request: ReturnType<typeof readSpeech>, behaviour: Behaviour): Answer | UpstreamError {
  if (isRefusal(request)) return request;
  const usage = behaviour.usage ?? spokenUsage;
  const done = { type: 'speech.audio.done', ...(usage === 'none' ? {} : { usage }) };
  return {
    isStream: request.isEvents,
    ...(request.isEvents ? {} : { sound: { type: request.type, pieces: spokenPieces } }),
    whole: () => ({ error: { message: 'A sound is no JSON', type: 'server_error', param: null, code: null } }),
    events: () => [...spokenPieces.map((piece) => ({ type: 'speech.audio.delta', audio: piece.toString('base64') })), done],
    isDone: (event) => typeOf(event) === done.type,
  };
}

function ofTranscript(request: ReturnType<typeof readTranscript>, behaviour: Behaviour): Answer | UpstreamError {
  if (isRefusal(request)) return request;
  return {
    isStream: request.stream,
    ...(request.format === 'text' ? { text: `${behaviour.text ?? request.text}\n` } : {}),
    whole: () => transcriptOf(request, behaviour),
    events: () => transcriptEvents(request, behaviour),
    isDone: (event) => typeOf(event) === 'transcript.text.done',
  };
}

function ofGemini(path: string, body: unknown, behaviour: Behaviour): Answer | UpstreamError {
  if (path.endsWith(':countTokens')) return whole({ totalTokens: 4242 });
  if (/:(?:embedContent|batchEmbedContents)$/.test(path)) return ofOne(readGeminiEmbedding(path, body), (response) => response);
  const request = readGemini(path, body);
  if (isRefusal(request)) return request;
  const id = randomId(22);
  return {
    isStream: request.stream,
    whole: () => geminiResponse(request, behaviour, id),
    events: () => geminiEvents(request, behaviour, id),
  };
}
