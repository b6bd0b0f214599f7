// What ratios are taken against: Node's HTTP server and a bare `undici.dispatch` that passes everything through.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';

const pool = new Pool(process.env['UPSTREAM'] ?? '', { connections: 4096, keepAliveTimeout: 60_000 });

class PassThrough implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  #controller: Dispatcher.DispatchController | undefined;
  #isEnded = false;
  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('close', () => {
      if (!this.#isEnded) this.#controller?.abort(new Error('client closed'));
    });
  }
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }
  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const { connection: _connection, 'transfer-encoding': _encoding, ...passed } = headers;
    this.#response.writeHead(status, passed);
  }
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }
  onResponseEnd(): void {
    this.#isEnded = true;
    this.#response.end();
  }
  onResponseError(_controller: Dispatcher.DispatchController, failure: Error): void {
    this.#isEnded = true;
    if (this.#response.headersSent) this.#response.destroy(failure);
    else this.#response.writeHead(502).end();
  }
}

const server = createServer({ keepAlive: true, noDelay: true }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    pool.dispatch(
      { path: request.url ?? '/', method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer bench' }, body },
      new PassThrough(response),
    );
  });
});
server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', 4096, () => {
  const address = server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
});
