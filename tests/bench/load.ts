// Load on one address: connections that always have one request in flight. Prints one line of JSON.
// Usage: load.ts '{"port":…,"connections":…,"seconds":…,"key":"sk-…","model":"mock","stream":false}'
import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  warmupSeconds?: number;
  key?: string;
  model?: string;
  stream?: boolean;
  /** Path of the calls, by default of chat completions; only the compiled generator supports others. */
  path?: string;
}

export interface LoadResult {
  perSecond: number;
  /** Milliseconds of whole responses. */
  p50: number;
  p99: number;
  responses: number;
  failures: number;
}

const options: LoadOptions = JSON.parse(process.argv[2] ?? '{}');
const { port, connections, seconds, warmupSeconds = 1, key = 'sk-bench', model = 'mock', stream = false } = options;
const body = JSON.stringify({
  model,
  messages: [{ role: 'user', content: 'Tell me something about the tides, in two sentences please.' }],
  ...(stream ? { stream: true } : {}),
});
const request = Buffer.from(
  `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);
const measureFrom = performance.now() + warmupSeconds * 1000;
const endAt = measureFrom + seconds * 1000;
const latencies: number[] = [];
let failures = 0;
let open = connections;

function run(socket: Socket): void {
  let startedAt = 0;
  let needed = -1;
  let received = 0;
  let isChunked = false;
  let head = '';
  let tail = '';
  let status = 0;

  const next = () => {
    const now = performance.now();
    if (startedAt >= measureFrom) {
      if (status === 200) latencies.push(now - startedAt);
      else failures += 1;
    }
    if (now >= endAt) {
      socket.end();
      return;
    }
    startedAt = now;
    needed = -1;
    received = 0;
    head = '';
    tail = '';
    socket.write(request);
  };

  socket.on('data', (chunk: Buffer) => {
    let bytes = chunk;
    if (needed === -1) {
      head += bytes.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      status = Number(head.slice(9, 12));
      const length = /content-length: *(\d+)/i.exec(head)?.[1];
      isChunked = length === undefined;
      needed = length === undefined ? 0 : Number(length);
      bytes = Buffer.from(head.slice(end + 4), 'latin1');
    }
    received += bytes.length;
    if (!isChunked) {
      if (received >= needed) next();
      return;
    }
    // One answer at a time: it is over when the last bytes are the empty chunk.
    tail = bytes.length >= 7 ? bytes.toString('latin1', bytes.length - 7) : (tail + bytes.toString('latin1')).slice(-7);
    if (tail.endsWith('\r\n0\r\n\r\n')) next();
  });
  socket.on('connect', () => {
    startedAt = performance.now();
    socket.write(request);
  });
  socket.on('error', () => (failures += 1));
  socket.on('close', () => {
    open -= 1;
    if (open === 0) report();
  });
}

function report(): void {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? Number.NaN;
  const result: LoadResult = { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99), responses: latencies.length, failures };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

for (let index = 0; index < connections; index += 1) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  run(socket);
}
