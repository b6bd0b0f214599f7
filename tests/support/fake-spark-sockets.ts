// Spark of iFlytek by WebSocket before the fake upstream: looks at the signature of the address and at the one message, and answers in messages.
// https://www.xfyun.cn/doc/spark/Web.html
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { framings } from '#server/framing/registry.ts';
import { demand, hasOnly, type Json, readStrictly } from './strict-requests.ts';
import { isObject } from './upstream-responses.ts';

const domains: Readonly<Record<string, string>> = {
  '/v1.1/chat': 'lite',
  '/v2.1/chat': 'generalv2',
  '/v3.1/chat': 'generalv3',
  '/v3.5/chat': 'generalv3.5',
  '/v4.0/chat': '4.0Ultra',
  '/v1/x1': 'x1',
};

/** Sockets of the key `app1|sec1|key1`. @param taken gets the received requests, in order */
export function sparkSockets(upstreamUrl: string, taken: Json[]) {
  const server = new WebSocketServer({ noServer: true });
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const url = new URL(request.url ?? '', 'ws://spark');
    const domain = domains[url.pathname];
    if (domain === undefined || !isSigned(url, request.headers.host ?? '')) {
      const body = JSON.stringify({ message: 'HMAC signature does not match' });
      socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    server.handleUpgrade(request, socket, head, (peer) => {
      peer.once('message', (data: Buffer) => void answer(peer, JSON.parse(data.toString()), { domain, upstreamUrl, taken }));
    });
  };
}

/** https://www.xfyun.cn/doc/spark/general_url_authentication.html */
export function isSigned({ pathname, searchParams: query }: URL, host: string): boolean {
  const date = query.get('date') ?? '';
  const reported = Buffer.from(query.get('authorization') ?? '', 'base64').toString();
  const signature = createHmac('sha256', 'sec1').update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`).digest('base64');
  const expected = `hmac username="key1", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  return reported === expected && query.get('host') === host && new Date(date).toUTCString() === date;
}

interface Requested {
  domain: string;
  upstreamUrl: string;
  taken: Json[];
}

async function answer(peer: WebSocket, requested: Json, { domain, upstreamUrl, taken }: Requested): Promise<void> {
  taken.push(requested);
  const say = (message: Json) => peer.send(JSON.stringify(message));
  const fail = (code: number, message: string) => {
    say({ header: { code, message, sid: 'cht1', status: 2 } });
    peer.close(1000);
  };
  const read = readStrictly(() => chatOf(requested, domain));
  if ('fault' in read) return fail(10_163, read.fault);
  const stopped = new AbortController();
  peer.once('close', () => stopped.abort());
  try {
    const response = await fetch(`${upstreamUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(read.requested),
      signal: stopped.signal,
    });
    if (!response.ok) return fail(10_907, String(Object(await response.json()).error?.message));
    await relay(response, say, () => fail(10_110, 'The engine has failed'));
    peer.close(1000);
  } catch {
    peer.terminate();
  }
}

async function relay(response: Response, say: (message: Json) => void, fail: () => void): Promise<void> {
  const splitter = framings.sse.createSplitter();
  const messages = sparkMessages();
  for await (const chunk of response.body ?? []) {
    for (const { data } of framings.sse.events(splitter.push(Buffer.from(chunk)) ?? Buffer.alloc(0))) {
      if (data === '[DONE]') continue;
      const event: Json = JSON.parse(data);
      if (event['error'] !== undefined) return fail();
      for (const message of messages(event)) say(message);
    }
  }
}

/** Chunks of a chat completion as messages of Spark: the last one has the usage. */
export function sparkMessages(): (chunk: Json) => Json[] {
  let seq = 0;
  const message = (status: number, said: Json, further: Json = {}): Json => {
    const header = { code: 0, message: 'Success', sid: 'cht1', status };
    const text = [{ role: 'assistant', index: 0, ...said }];
    return { header, payload: { choices: { status, seq: seq++, text }, ...further } };
  };
  return ({ choices, usage }) => {
    const [choice] = Array.isArray(choices) ? choices : [];
    const { content, reasoning_content: thought } = Object(Object(choice).delta);
    const messages: Json[] = [];
    if (typeof thought === 'string' && thought !== '') messages.push(message(1, { content: '', reasoning_content: thought }));
    if (typeof content === 'string' && content !== '') messages.push(message(1, { content }));
    if (!isObject(usage)) return messages;
    const { prompt_tokens: prompt, completion_tokens: written, total_tokens: total } = usage;
    const text = { question_tokens: prompt, prompt_tokens: prompt, completion_tokens: written, total_tokens: total };
    return [...messages, message(2, { content: '' }, { usage: { text } })];
  };
}

function chatOf(requested: Json, domain: string): Json {
  const { header, parameter, payload } = requested;
  demand(hasOnly(requested, ['header', 'parameter', 'payload']), 'unknown part');
  demand(isObject(header) && hasOnly(header, ['app_id', 'uid']) && header['app_id'] === 'app1', 'app_id');
  const chat: unknown = isObject(parameter) ? parameter['chat'] : undefined;
  const known = ['domain', 'temperature', 'top_k', 'top_p', 'max_tokens', 'presence_penalty', 'frequency_penalty', 'chat_id'];
  demand(isObject(chat) && hasOnly(chat, known), 'parameter.chat');
  demand(chat['domain'] === domain, `domain is not ${domain}`);
  const { top_k: topK, max_tokens: most, temperature, top_p: topP } = chat;
  demand(topK === undefined || (Number.isInteger(topK) && Number(topK) >= 1 && Number(topK) <= 6), 'top_k');
  demand(temperature === undefined || (typeof temperature === 'number' && temperature >= 0 && temperature <= 2), 'temperature');
  const message: unknown = isObject(payload) ? payload['message'] : undefined;
  const text: unknown = isObject(message) ? message['text'] : undefined;
  demand(Array.isArray(text) && text.length > 0, 'text');
  const isNew = !/^generalv[23]$/.test(domain);
  const messages = text.map((one: unknown) => {
    demand(isObject(one) && hasOnly(one, ['role', 'content']) && typeof one['content'] === 'string' && one['content'] !== '', 'a message');
    const { role } = one;
    demand(role === 'user' || role === 'assistant' || (role === 'system' && isNew), `role ${String(role)}`);
    return { role, content: one['content'] };
  });
  const sampling = { ...(temperature === undefined ? {} : { temperature }), ...(topP === undefined ? {} : { top_p: topP }) };
  const limit = most === undefined ? {} : { max_tokens: most };
  return { model: 'gpt-4o-mini', messages, stream: true, stream_options: { include_usage: true }, ...sampling, ...limit };
}
