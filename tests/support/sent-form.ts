// Forms as a provider reads them: by the parser of the platform, not by ours.
import type { IncomingMessage } from 'node:http';

export interface SentFile {
  name: string;
  filename: string;
  type: string;
  bytes: Buffer;
}

export interface SentMultipart {
  /** Each name once; several values of one are a list. */
  texts: Record<string, string | string[]>;
  files: readonly SentFile[];
}

/** Null: it is none. */
export async function formOf({ headers }: IncomingMessage, bytes: Buffer): Promise<SentMultipart | null> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return null;
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  const texts: Record<string, string | string[]> = {};
  const files: SentFile[] = [];
  for (const [name, value] of form) {
    if (typeof value !== 'string') {
      files.push({ name, filename: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
      continue;
    }
    const before = texts[name];
    texts[name] = before === undefined ? value : [before, value].flat();
  }
  return { texts, files };
}
