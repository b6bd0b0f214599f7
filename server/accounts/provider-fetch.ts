// Sends requests to sign-in services, whose URLs the super admin configures: with a timeout, without redirects, and
// with a limited response size.

/** Timeout from the DNS lookup to the last byte. */
const deadlineMs = 5000;
const maxBytes = 1024 * 1024;

export interface ProviderRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | undefined;
}

/**
 * Returns the whole response.
 * @throws {Error} on timeout, or if it is too long
 */
export async function providerFetch(url: string, { method = 'GET', headers = {}, body }: ProviderRequest = {}): Promise<Response> {
  const signal = AbortSignal.timeout(deadlineMs);
  const response = await fetch(url, { method, headers, redirect: 'manual', signal, body });
  const bytes = await readWithin(response);
  // Statuses without a body are unexpected, but possible.
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
