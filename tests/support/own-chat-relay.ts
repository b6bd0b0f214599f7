// Converts chat completions of the fake upstream to the format of the provider that a stand-in represents.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseObject } from '#server/framing/loose-json.ts';
import { framings } from '#server/framing/registry.ts';
import type { Json } from './strict-requests.ts';

export interface OwnChat {
  whole(completion: Json): Json;
  /** Chunks of a completion become events, each by itself. */
  events(): (chunk: Json) => readonly Json[];
  /** Event of a failure within a stream. */
  failed: Json;
  /** The body of a failure with a status of its own. */
  failure(message: string): Json;
  /** Of such a body; missing: that of the failure. */
  failureStatus?: number;
  /** How an event is written; missing: as data of server-sent events. */
  write?(event: Json): string;
  /** Of a stream; missing: server-sent events. */
  mediaType?: string;
}

export function relayOwn(chat: OwnChat): (answer: IncomingMessage, response: ServerResponse) => void {
  return (answer, response) => {
    if (answer.headers['content-type']?.startsWith('text/event-stream') === true) relayEvents(chat, answer, response);
    else void relayWhole(chat, answer, response);
  };
}

/** What is no chat completion stays what it is. */
async function relayWhole(chat: OwnChat, answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(Buffer.from(chunk));
  const bytes = Buffer.concat(chunks);
  const body = parseObject(bytes.toString());
  const status = answer.statusCode ?? 502;
  const retry = answer.headers['retry-after'];
  response.writeHead(status === 200 ? 200 : (chat.failureStatus ?? status), {
    'content-type': 'application/json',
    ...(retry === undefined ? {} : { 'retry-after': retry }),
  });
  if (status !== 200) response.end(JSON.stringify(chat.failure(Object(body?.['error']).message ?? 'error')));
  else response.end(body?.['choices'] === undefined ? bytes : JSON.stringify(chat.whole(body)));
}

function relayEvents(chat: OwnChat, answer: IncomingMessage, response: ServerResponse): void {
  const { write = (event: Json) => `data: ${JSON.stringify(event)}\n\n`, mediaType = framings.sse.mediaType } = chat;
  response.writeHead(200, { 'content-type': mediaType });
  const splitter = framings.sse.createSplitter();
  const convert = chat.events();
  answer.on('data', (chunk: Buffer) => {
    for (const { data } of framings.sse.events(splitter.push(chunk) ?? Buffer.alloc(0))) {
      const event = data === '[DONE]' ? null : parseObject(data);
      if (event === null) continue;
      for (const one of event['error'] === undefined ? convert(event) : [chat.failed]) response.write(write(one));
    }
  });
  answer.once('end', () => response.end());
}
