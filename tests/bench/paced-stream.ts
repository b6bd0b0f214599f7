// A paced stream and its reader, in one process and so by one clock: the delay of a piece is what the gateway between them adds. Prints `{"port":…}`,
// then takes lines `{"url":…,"key":…,"model":…,"seconds":…}` and answers each with milliseconds.
import { createServer, request } from 'node:http';
import { createInterface } from 'node:readline';

export interface PacedRun {
  port: number;
  key: string;
  model: string;
  seconds: number;
}

export interface PacedResult {
  pieces: number;
  p50: number;
  p99: number;
  max: number;
}

const paceMs = 20;
const now = () => performance.now();

let seconds = 5;
const upstream = createServer((_question, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const endAt = now() + seconds * 1000;
  const write = () => {
    if (now() >= endAt) {
      response.end('data: [DONE]\n\n');
      return;
    }
    const piece = {
      id: 'paced',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'mock',
      choices: [{ index: 0, delta: { content: `@${now()}@` } }],
    };
    response.write(`data: ${JSON.stringify(piece)}\n\n`);
    setTimeout(write, paceMs);
  };
  write();
});
upstream.listen(0, '127.0.0.1', () => {
  const address = upstream.address();
  if (address === null || typeof address === 'string') throw new Error('The upstream has no port');
  process.stdout.write(`${JSON.stringify({ port: address.port })}\n`);
});

createInterface({ input: process.stdin }).on('line', (line) => {
  const run: PacedRun = JSON.parse(line);
  void read(run).then((result) => process.stdout.write(`${JSON.stringify(result)}\n`));
});

function read(run: PacedRun): Promise<PacedResult> {
  seconds = run.seconds;
  const delays: number[] = [];
  const body = JSON.stringify({
    model: run.model,
    stream: true,
    messages: [{ role: 'user', content: 'Tell me something about the tides.' }],
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${run.key}`, 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const question = request({ port: run.port, host: '127.0.0.1', path: '/v1/chat/completions', method: 'POST', headers }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        for (const [, sentAt] of text.matchAll(/@([\d.]+)@/g)) delays.push(now() - Number(sentAt));
      });
      response.on('end', () => {
        if (delays.length === 0) reject(new Error(`The gateway answered ${response.statusCode} and no piece`));
        delays.sort((a, b) => a - b);
        const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? Number.NaN;
        resolve({ pieces: delays.length, p50: at(0.5), p99: at(0.99), max: at(1) });
      });
    });
    question.on('error', reject);
    question.end(body);
  });
}
