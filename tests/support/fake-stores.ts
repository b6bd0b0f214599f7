// OpenAI's vector stores in front of its files and the fake upstream: fields are checked strictly, files are indexed when they are polled, and calls
// that search in a store get the results.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeFiles, startFakeFiles } from './fake-files.ts';
import type { ProviderFront } from './provider-front.ts';
import { readAll } from './upstream-exchange.ts';
import { isObject } from './upstream-responses.ts';

export interface StoreFile {
  id: string;
  status: 'in_progress' | 'completed' | 'cancelled' | 'failed';
  attributes: unknown;
  chunking_strategy: unknown;
}

export interface ProviderStore {
  id: string;
  name: string;
  created_at: number;
  last_active_at: number;
  expires_after: { anchor: string; days: number };
  files: Map<string, StoreFile>;
  batches: Map<string, { id: string; status: string; files: string[] }>;
  /** Reported usage; undefined: twice the bytes of its indexed files. */
  usage: unknown;
  status: string | undefined;
}

export interface FakeStores extends ProviderFront {
  files: FakeFiles;
  stores: Map<string, ProviderStore>;
  /** Requests about stores, as `METHOD path`, with their bodies. */
  requested: { what: string; body: Record<string, unknown> }[];
  /** The next ones get these; `lost`: it is done, and nothing is answered; `cut`: neither. */
  failures: (number | 'lost' | 'cut')[];
  /** The next creations, searches and readings of texts are begun when these are over. */
  gates: Promise<unknown>[];
  /** A stream is sent in pieces that end here: bytes. Empty: event by event. */
  cuts(stream: Buffer): number[];
  /** Whether it never streams, even on request. */
  answersWhole: boolean;
  /** What calls of models with a search in a store sent. */
  searched: Record<string, unknown>[];
}

interface Requested {
  method: string;
  address: URL;
  id: string | undefined;
  rest: string[];
  body: Record<string, unknown>;
}

/** Response: a status, and an object. */
type Reported = [status: number, object: object];

const created = new Set(['name', 'file_ids', 'chunking_strategy', 'expires_after']);
const attached = new Set(['file_id', 'attributes', 'chunking_strategy']);
const searches = new Set(['query', 'filters', 'max_num_results', 'ranking_options', 'rewrite_query']);
/** When the clocks of tests begin. */
const now = Date.UTC(2026, 0, 15, 8) / 1000;

export async function startFakeStores(upstreamUrl: string): Promise<FakeStores> {
  const files = await startFakeFiles(upstreamUrl);
  const stores = new Map<string, ProviderStore>();
  const requested: FakeStores['requested'] = [];
  const failures: FakeStores['failures'] = [];
  const searched: Record<string, unknown>[] = [];
  const gates: Promise<unknown>[] = [];
  const fake: Pick<FakeStores, 'answersWhole' | 'cuts'> = { answersWhole: false, cuts: () => [] };
  let made = 0;
  const refuse = (status: number, message: string): Reported => [
    status,
    { error: { message, type: 'invalid_request_error', param: null, code: null } },
  ];
  const isOnly = (body: object, known: ReadonlySet<string>) => Object.keys(body).every((name) => known.has(name));

  function reported(store: ProviderStore): object {
    const all = [...store.files.values()].filter(({ id }) => files.files.has(id));
    const count = (status: string) => all.filter((file) => file.status === status).length;
    const counts = {
      in_progress: count('in_progress'),
      completed: count('completed'),
      failed: count('failed'),
      cancelled: count('cancelled'),
    };
    const size = all.reduce((sum, { id, status }) => sum + (status === 'completed' ? (files.files.get(id)?.bytes.length ?? 0) * 2 : 0), 0);
    const { id, name, created_at, last_active_at, expires_after, usage, status } = store;
    return {
      id,
      object: 'vector_store',
      created_at,
      name,
      usage_bytes: usage ?? size,
      file_counts: { ...counts, total: all.length },
      status: status ?? (counts.in_progress > 0 ? 'in_progress' : 'completed'),
      expires_after,
      expires_at: last_active_at + expires_after.days * 86_400,
      last_active_at,
      metadata: {},
    };
  }

  const presentFile = (store: ProviderStore, { id, status, attributes, chunking_strategy }: StoreFile) => ({
    id,
    object: 'vector_store.file',
    created_at: now,
    usage_bytes: status === 'completed' ? (files.files.get(id)?.bytes.length ?? 0) * 2 : 0,
    vector_store_id: store.id,
    status,
    last_error: null,
    attributes,
    chunking_strategy,
  });

  function put(store: ProviderStore, entry: Record<string, unknown>): StoreFile | null {
    const {
      file_id: id,
      attributes = {},
      chunking_strategy = { type: 'static', static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
    } = entry;
    if (typeof id !== 'string' || !isOnly(entry, attached) || !files.files.has(id)) return null;
    const file: StoreFile = { id, status: 'in_progress', attributes, chunking_strategy };
    store.files.set(id, file);
    return file;
  }

  const page = (list: readonly { id: string }[], { searchParams: query }: URL, report: (item: never) => object): object => {
    const limit = Number(query.get('limit') ?? 20);
    const ordered = query.get('order') === 'asc' ? list : list.toReversed();
    const after = query.get('after');
    const from = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
    const data = ordered.slice(from, from + limit).map((item) => report(item as never));
    return { object: 'list', data, first_id: null, last_id: null, has_more: from + limit < ordered.length };
  };

  function create(body: Record<string, unknown>): Reported {
    const { name, file_ids: names = [], expires_after: stored, chunking_strategy: chunking } = body;
    if (!isOnly(body, created) || typeof name !== 'string') return refuse(400, 'not such fields');
    if (!isObject(stored) || stored['anchor'] !== 'last_active_at' || typeof stored['days'] !== 'number') return refuse(400, 'no lifetime');
    const store: ProviderStore = {
      id: `vs_theirs${made}`,
      name,
      created_at: now,
      last_active_at: now,
      expires_after: { anchor: 'last_active_at', days: stored['days'] },
      files: new Map(),
      batches: new Map(),
      usage: undefined,
      status: undefined,
    };
    made += 1;
    for (const id of Array.isArray(names) ? names : [null])
      if (put(store, { file_id: id, ...(chunking === undefined ? {} : { chunking_strategy: chunking }) }) === null)
        return refuse(404, 'no such file');
    stores.set(store.id, store);
    return [200, reported(store)];
  }

  function serveStore({ method, address, id, rest, body }: Requested): Reported {
    if (id === undefined) return method === 'POST' ? create(body) : [200, page([...stores.values()], address, (store) => reported(store))];
    const store = stores.get(id);
    if (store === undefined) return refuse(404, `No vector store found with id '${id}'.`);
    const [kind, ...more] = rest;
    if (kind === 'files') return serveFile(store, { method, address, id: more[0], rest: more.slice(1), body });
    if (kind === 'file_batches') return serveBatch(store, { method, address, id: more[0], rest: more.slice(1), body });
    if (kind === 'search' && method === 'POST') return search(store, body);
    if (kind !== undefined) return refuse(404, 'no such thing');
    if (method === 'GET') for (const file of store.files.values()) if (file.status === 'in_progress') file.status = 'completed';
    if (method === 'DELETE') stores.delete(id);
    if (method === 'POST') {
      const { expires_after: stored, ...others } = body;
      if (!isObject(stored) || Object.keys(others).length > 0) return refuse(400, 'not such a change');
      store.expires_after = { anchor: String(stored['anchor']), days: Number(stored['days']) };
    }
    return [200, method === 'DELETE' ? { id, object: 'vector_store.deleted', deleted: true } : reported(store)];
  }

  function serveFile(store: ProviderStore, { method, address, id, rest, body }: Requested): Reported {
    const all = [...store.files.values()].filter((file) => files.files.has(file.id));
    const filter = address.searchParams.get('filter');
    if (id === undefined && method === 'GET')
      return [
        200,
        page(
          all.filter(({ status }) => filter === null || status === filter),
          address,
          (file) => presentFile(store, file),
        ),
      ];
    if (id === undefined) {
      const file = put(store, body);
      return file === null ? refuse(404, 'no such file') : [200, presentFile(store, file)];
    }
    const file = store.files.get(id);
    if (file === undefined) return refuse(404, `No file found with id '${id}' in vector store '${store.id}'.`);
    const report = () => presentFile(store, file);
    if (rest[0] === 'content')
      return [
        200,
        {
          object: 'vector_store.file_content.page',
          file_id: id,
          data: [{ type: 'text', text: files.files.get(id)?.bytes.toString() }],
          has_more: false,
          next_page: null,
        },
      ];
    if (method === 'GET' && file.status === 'in_progress') {
      const before = report();
      file.status = 'completed';
      return [200, before];
    }
    if (method === 'POST') {
      if (!isOnly(body, new Set(['attributes']))) return refuse(400, 'not such a change');
      file.attributes = body['attributes'];
    }
    if (method === 'DELETE') store.files.delete(id);
    return [200, method === 'DELETE' ? { id, object: 'vector_store.file.deleted', deleted: true } : report()];
  }

  function serveBatch(store: ProviderStore, { address, id, rest, body }: Requested): Reported {
    if (id === undefined) {
      const { files: list } = body;
      if (!Array.isArray(list) || Object.keys(body).length > 1) return refuse(400, 'not such fields');
      const put_ = list.map((entry: unknown) => (isObject(entry) ? put(store, entry) : null));
      if (put_.includes(null)) return refuse(404, 'no such file');
      const batch = {
        id: `vsfb_theirs${store.batches.size}`,
        status: 'in_progress',
        files: put_.flatMap((file) => (file === null ? [] : [file.id])),
      };
      store.batches.set(batch.id, batch);
      return [200, presentBatch(store, batch)];
    }
    const batch = store.batches.get(id);
    if (batch === undefined) return refuse(404, 'no such batch');
    const own = [...store.files.values()].filter((file) => batch.files.includes(file.id));
    if (rest[0] === 'files') return [200, page(own, address, (file) => presentFile(store, file))];
    if (rest[0] === 'cancel') batch.status = 'cancelled';
    else if (batch.status === 'in_progress') {
      batch.status = 'completed';
      for (const file of own) file.status = 'completed';
    }
    return [200, presentBatch(store, batch)];
  }

  const presentBatch = (
    store: ProviderStore,
    { id, status, files: { length: total } }: { id: string; status: string; files: string[] },
  ) => ({
    id,
    object: 'vector_store.files_batch',
    created_at: now,
    vector_store_id: store.id,
    status,
    file_counts: { in_progress: 0, completed: total, failed: 0, cancelled: 0, total },
  });

  const foundIn = (store: ProviderStore) =>
    [...store.files.values()].flatMap(({ id, attributes }) => {
      const file = files.files.get(id);
      return file === undefined ? [] : [{ file_id: id, filename: file.filename, score: 0.9, attributes, text: file.bytes.toString() }];
    });

  function search(store: ProviderStore, body: Record<string, unknown>): Reported {
    if (!isOnly(body, searches) || body['query'] === undefined) return refuse(400, 'not such a search');
    const data = foundIn(store).map(({ text, ...found }) => ({ ...found, content: [{ type: 'text', text }] }));
    return [
      200,
      { object: 'vector_store.search_results.page', search_query: [body['query']].flat(), data, has_more: false, next_page: null },
    ];
  }

  /** A response whose model has searched in those stores. */
  function respond(body: Record<string, unknown>, response: ServerResponse): void {
    const tools = Array.isArray(body['tools']) ? body['tools'].filter(isObject) : [];
    const named = tools.flatMap((tool) => (Array.isArray(tool['vector_store_ids']) ? tool['vector_store_ids'] : []));
    const unknown = named.find((name) => !stores.has(String(name)));
    const write = ([status, object]: Reported) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    if (unknown !== undefined) return write(refuse(404, `Vector store with id [${String(unknown)}] not found.`));
    searched.push(body);
    const results = named.flatMap((name) => {
      const store = stores.get(String(name));
      return store === undefined ? [] : foundIn(store);
    });
    const call = { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['tide'], results };
    const annotations = results.map(({ file_id, filename }) => ({ type: 'file_citation', index: 3, file_id, filename }));
    // What the model writes may look like a name, and stays what it is.
    const text = `It says "file_id":"${results[0]?.file_id ?? ''}".`;
    const message = {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations, logprobs: [] }],
    };
    const whole = {
      id: 'resp_1',
      object: 'response',
      created_at: now,
      status: 'completed',
      model: body['model'],
      output: [call, message],
      tools,
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 105,
      },
    };
    if (body['stream'] !== true || fake.answersWhole) return write([200, whole]);
    const part = { item_id: 'msg_1', output_index: 1, content_index: 0 };
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress', results: null } },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...part, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } },
      { type: 'response.output_text.delta', ...part, delta: text, logprobs: [] },
      ...annotations.map((annotation, annotation_index) => ({
        type: 'response.output_text.annotation.added',
        ...part,
        annotation_index,
        annotation,
      })),
      { type: 'response.output_text.done', ...part, text, logprobs: [] },
      { type: 'response.content_part.done', ...part, part: message.content[0] },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.completed', response: whole },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const texts = events.map((event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`);
    void writeInPieces(texts, response);
  }

  async function writeInPieces(texts: readonly string[], response: ServerResponse): Promise<void> {
    const stream = Buffer.from(texts.join(''));
    const cuts = fake.cuts(stream);
    const pieces = cuts.length === 0 ? texts : [...cuts, stream.length].map((cut, index) => stream.subarray(cuts[index - 1] ?? 0, cut));
    for (const piece of pieces) {
      response.write(piece);
      // Each in a packet of its own.
      if (cuts.length > 0) await sleep(1);
    }
    response.end();
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming;
    const bytes = await readAll(incoming);
    const address = new URL(url, 'http://there');
    const [, version, place, id, ...rest] = address.pathname.split('/');
    const parsed: unknown = headers['content-type'] === 'application/json' && bytes.length > 0 ? JSON.parse(bytes.toString()) : {};
    const body = isObject(parsed) ? parsed : {};
    if (version === 'v1' && place === 'responses' && bytes.includes('file_search')) return respond(body, response);
    if (version !== 'v1' || place !== 'vector_stores') return passOn(incoming, response, bytes);
    requested.push({ what: `${method} ${url}`, body });
    const write = ([status, object]: Reported) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object));
    if (headers.authorization !== `Bearer ${files.channel.key}`) return write(refuse(401, 'Incorrect API key provided'));
    if (headers['openai-beta'] !== 'assistants=v2') return write(refuse(400, 'no such beta'));
    const failure = failures.shift();
    if (failure === 'cut') return void response.destroy();
    if (typeof failure === 'number') return write(refuse(failure, 'as was told'));
    if (rest.length === 0 ? method === 'POST' && id === undefined : rest.at(-1) === 'content' || rest[0] === 'search') await gates.shift();
    const answer = serveStore({ method, address, id, rest, body });
    if (failure === 'lost') response.destroy();
    else write(answer);
  }

  async function passOn(incoming: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const { host: _host, 'transfer-encoding': _chunked, ...passed } = incoming.headers;
    const forwarded = await fetch(`${files.url}${incoming.url}`, {
      method: incoming.method ?? 'GET',
      headers: passed as Record<string, string>,
      body: body.length === 0 ? null : new Uint8Array(body),
    });
    response.writeHead(forwarded.status, { 'content-type': forwarded.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await forwarded.arrayBuffer()));
  }

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(fake, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    channel: files.channel,
    files,
    stores,
    requested,
    failures,
    gates,
    searched,
    async close() {
      await files.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  });
}
