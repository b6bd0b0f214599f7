// Requests to the services of sign-in, whose addresses are the super admin's own choice: with a deadline, without following redirects,
// and never more of an answer than such answers have.

/** From the look-up of the name to the last byte of the answer. */
const deadlineMs = 5000;
const maxBytes = 1024 * 1024;

export interface ProviderRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | undefined;
}

/** A whole answer. @throws {Error} when there is none in time, or too much of it */
export async function providerFetch(url: string, { method = 'GET', headers = {}, body }: ProviderRequest = {}): Promise<Response> {
  const signal = AbortSignal.timeout(deadlineMs);
  const response = await fetch(url, { method, headers, redirect: 'manual', signal, ...(body === undefined ? {} : { body }) });
  const bytes = await readWithin(response);
  // Of the statuses that have no body none is expected, but any may come.
  const hasNone = response.status === 204 || response.status === 205 || response.status === 304;
  return new Response(hasNone ? null : bytes, { status: response.status, headers: response.headers });
}

async function readWithin(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxBytes) throw new Error('The answer of a provider is too long');
      chunks.push(chunk);
    }
  }
  return new Uint8Array(Buffer.concat(chunks));
}
