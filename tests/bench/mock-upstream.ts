// Upstream that is light enough not to be measured itself: raw sockets, prepared responses. The model's name selects the response:
// `mock[-nCHUNKS][-dMILLISECONDS]`: chunks of a stream (50), delay before each (0: all in one write).
import { createServer, type Socket } from 'node:net';

const jsonBody = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'mock',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(150).trim() }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 150, total_tokens: 162 },
});
const jsonAnswer = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(jsonBody)}\r\nConnection: keep-alive\r\n\r\n${jsonBody}`,
);
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n',
);

function toChunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
}

function event(delta: object, finish: string | null, usage?: object): string {
  const choices = usage === undefined ? [{ index: 0, delta, finish_reason: finish }] : [];
  return `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'mock', system_fingerprint: 'fp_bench', choices, ...(usage === undefined ? {} : { usage }) })}\n\n`;
}

const first = toChunk(event({ role: 'assistant', content: '' }, null));
const middle = toChunk(event({ content: ' word' }, null));
const last = toChunk(event({}, 'stop'));
const usageChunk = toChunk(event({}, null, { prompt_tokens: 12, completion_tokens: 50, total_tokens: 62 }));
const done = Buffer.concat([toChunk('data: [DONE]\n\n'), Buffer.from('0\r\n\r\n')]);
const bursts = new Map<string, Buffer>();

function burst(count: number, hasUsage: boolean): Buffer {
  const key = `${count} ${hasUsage}`;
  let bytes = bursts.get(key);
  if (bytes === undefined) {
    bytes = Buffer.concat([
      streamHead,
      first,
      ...Array.from({ length: count }, () => middle),
      last,
      ...(hasUsage ? [usageChunk] : []),
      done,
    ]);
    bursts.set(key, bytes);
  }
  return bytes;
}

function answer(socket: Socket, body: string): void {
  if (!body.includes('"stream":true')) {
    socket.write(jsonAnswer);
    return;
  }
  const model = /"model":"mock([^"]*)"/.exec(body)?.[1] ?? '';
  const count = Number(/-n(\d+)/.exec(model)?.[1] ?? 50);
  const delay = Number(/-d(\d+)/.exec(model)?.[1] ?? 0);
  const hasUsage = body.includes('"include_usage":true');
  if (delay === 0) {
    socket.write(burst(count, hasUsage));
    return;
  }
  socket.write(Buffer.concat([streamHead, first]));
  let sent = 0;
  const timer = setInterval(() => {
    if (socket.destroyed) {
      clearInterval(timer);
    } else if (sent < count) {
      sent += 1;
      socket.write(middle);
    } else {
      clearInterval(timer);
      socket.write(Buffer.concat([last, ...(hasUsage ? [usageChunk] : []), done]));
    }
  }, delay);
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    text += chunk;
    for (;;) {
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      const body = text.slice(head + 4, head + 4 + length);
      text = text.slice(head + 4 + length);
      answer(socket, body);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
