// Certificates of the stand-ins that speak TLS.
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

const folder = new URL('../fixtures/tls/', import.meta.url);

export const localhostTls = {
  cert: readFileSync(new URL('localhost.pem', folder), 'utf8'),
  key: readFileSync(new URL('localhost-key.pem', folder), 'utf8'),
};

/** Makes this process trust that certificate, as if an authority had signed it; returns the way back. */
export function trustLocalhost(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, localhostTls.cert]);
  return () => setDefaultCACertificates(before);
}
