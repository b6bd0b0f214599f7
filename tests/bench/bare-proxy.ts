// Baseline of ratios: Node's HTTP server and a bare `undici.dispatch` that passes everything through. With JOURNAL, a file, it also appends one row a
// response to SQLite, committed before the response ends, those of one turn of the event loop together: the least that a gateway with durable books
// on one machine needs.
import { createServer, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { type Dispatcher, Pool } from 'undici';

const pool = new Pool(process.env['UPSTREAM'] ?? '', { connections: 4096, keepAliveTimeout: 60_000 });

class Journal {
  readonly #database: DatabaseSync;
  readonly #insert: ReturnType<DatabaseSync['prepare']>;
  #waiting: (() => void)[] = [];
  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = normal; CREATE TABLE calls (id INTEGER PRIMARY KEY, row TEXT) STRICT',
    );
    this.#insert = this.#database.prepare('INSERT INTO calls (row) VALUES (?)');
  }
  append(committed: () => void): void {
    if (this.#waiting.push(committed) === 1) setImmediate(() => this.#commit());
  }
  #commit(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#database.exec('BEGIN IMMEDIATE');
    // As many bytes as a call's row has.
    for (const _ of waiting) this.#insert.run('x'.repeat(500));
    this.#database.exec('COMMIT');
    for (const committed of waiting) committed();
  }
}

const journal = process.env['JOURNAL'] === undefined ? undefined : new Journal(process.env['JOURNAL']);

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
    if (journal === undefined) this.#response.end();
    else journal.append(() => this.#response.end());
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
