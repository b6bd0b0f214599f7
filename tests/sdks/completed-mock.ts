// Completes aimock's responses: in the formats of Claude and Responses they use no tokens at all, and none reports how many were thoughts; Responses'
// type requires it (`usage.output_tokens_details`). This proxy adds that to whole responses.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

type Json = Record<string, unknown>;

export interface CompletedMock {
  url: string;
  close(): Promise<void>;
}

export async function startCompletedMock(url: string): Promise<CompletedMock> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(incoming.headers)) {
        if (!['host', 'connection', 'content-length', 'transfer-encoding'].includes(name)) headers.set(name, String(value));
      }
      const response = await fetch(`${url}${incoming.url}`, { method: incoming.method ?? 'POST', headers, body: await read(incoming) });
      const type = response.headers.get('content-type') ?? '';
      const text = await response.text();
      outgoing.writeHead(response.status, { 'content-type': type });
      outgoing.end(type.startsWith('application/json') ? JSON.stringify(complete(JSON.parse(text))) : text);
    })().catch((cause: unknown) => outgoing.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

async function read(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function complete(answer: Json): Json {
  const { usage, usageMetadata } = answer as { usage?: Json; usageMetadata?: Json };
  const thinks = /"type":"(?:thinking|reasoning)"|"thought":true|"reasoning(?:_content)?":"/.test(JSON.stringify(answer));
  if (usage !== undefined && usage['output_tokens'] === 0) Object.assign(usage, { input_tokens: 9, output_tokens: 5, total_tokens: 14 });
  if (usage !== undefined && answer['type'] === 'message') usage['output_tokens_details'] = thinks ? { thinking_tokens: 1 } : null;
  if (usage !== undefined && answer['object'] === 'response') usage['output_tokens_details'] = { reasoning_tokens: thinks ? 1 : 0 };
  if (usage !== undefined && answer['object'] === 'chat.completion' && thinks) usage['completion_tokens_details'] = { reasoning_tokens: 1 };
  if (usageMetadata !== undefined && thinks) {
    usageMetadata['thoughtsTokenCount'] = 1;
    usageMetadata['totalTokenCount'] = Number(usageMetadata['totalTokenCount']) + 1;
  }
  return answer;
}
