// Files and uploads interrupted by a kill: each is held at a point where the provider has processed the request and its response is lost.
import { type FakeFiles, startFakeFiles } from '#tests/support/fake-files.ts';
import { type GatedFront, startGatedFront } from '#tests/support/gated-front.ts';

interface Caller {
  origin: string;
  key: string;
}

export interface HeldFiles {
  stored: string;
  /** Deleted by its owner. */
  left: string;
  /** Has its first part; the second one was on its way. */
  open: { id: string; parts: string[] };
  /** Has all its parts; its completion was on its way. */
  joined: { id: string; parts: string[] };
  /** For each, whether its response was lost. */
  lostResponses: Promise<boolean[]>;
}

export const halves = [Buffer.alloc(700_000, 'ebb '), Buffer.alloc(100_000, 'flow')] as const;
const bytes = halves[0].length + halves[1].length;

export class FileStage implements AsyncDisposable {
  readonly provider: FakeFiles;
  readonly front: GatedFront;

  private constructor(provider: FakeFiles, front: GatedFront) {
    this.provider = provider;
    this.front = front;
  }

  /** @param upstreamUrl of the provider of everything else */
  static async open(upstreamUrl: string): Promise<FileStage> {
    const provider = await startFakeFiles(upstreamUrl);
    return new FileStage(provider, await startGatedFront(provider.url));
  }

  /** Five places are taken at the end: two that are known, two uploads, and one that was being sent. */
  async hold(caller: Caller): Promise<HeldFiles> {
    const stored = await idOf(leave(caller, 'kept'));
    const left = await idOf(leave(caller, 'left'));
    const open = { id: await idOf(begin(caller)), parts: [] as string[] };
    open.parts.push(await idOf(addPart(caller, open.id, halves[0])));
    const joined = { id: await idOf(begin(caller)), parts: [] as string[] };
    for (const half of halves) joined.parts.push(await idOf(addPart(caller, joined.id, half)));
    const gates = [/^DELETE /, /\/parts$/, /\/complete$/, /^POST \/v1\/files$/].map((at) => this.front.hold({ at, when: 'after' }));
    const reported = await post(caller, `/files/${left}`, undefined, 'DELETE');
    if (reported.status !== 200) throw new Error(`The file was not deleted: ${reported.text}`);
    const requested = [addPart(caller, open.id, halves[1]), complete(caller, joined), leave(caller, 'unheard')];
    const lostResponses = Promise.all(requested.map((one) => one.then(() => false).catch(() => true)));
    await Promise.all(gates);
    return { stored, left, open, joined, lostResponses };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.provider.close();
  }
}

export interface Reported {
  status: number;
  text: string;
  id: string;
}

export function leave(caller: Caller, filename: string, content: Buffer = halves[0]): Promise<Reported> {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob([new Uint8Array(content)]), filename);
  return post(caller, '/files', form);
}

export function begin(caller: Caller): Promise<Reported> {
  return post(caller, '/uploads', JSON.stringify({ filename: 'tide.txt', purpose: 'user_data', bytes, mime_type: 'text/plain' }));
}

export function addPart(caller: Caller, upload: string, part: Buffer): Promise<Reported> {
  const form = new FormData();
  form.set('data', new Blob([new Uint8Array(part)]), 'part');
  return post(caller, `/uploads/${upload}/parts`, form);
}

export function complete(caller: Caller, { id, parts }: { id: string; parts: string[] }): Promise<Reported> {
  return post(caller, `/uploads/${id}/complete`, JSON.stringify({ part_ids: parts }));
}

/** @throws {Error} when the connection ends before its time */
export async function post({ origin, key }: Caller, path: string, body: string | FormData | undefined, method = 'POST'): Promise<Reported> {
  const headers = { authorization: `Bearer ${key}`, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) };
  const response = await fetch(`${origin}/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  const id: unknown = response.status === 200 && text.startsWith('{') ? JSON.parse(text).id : undefined;
  return { status: response.status, text, id: typeof id === 'string' ? id : '' };
}

async function idOf(reporting: Promise<Reported>): Promise<string> {
  const { id, status, text } = await reporting;
  if (id === '') throw new Error(`It was not taken: ${status} ${text}`);
  return id;
}
