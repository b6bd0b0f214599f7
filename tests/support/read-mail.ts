// A mail as its reader sees it: headers and parts, decoded (RFC 2045, 2047).

export interface ReadMail {
  /** By lower-case name, unfolded and decoded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

/** @param raw one byte per character */
export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw);
  const bodies = partsOf({ headers, body });
  const bodyOf = (type: string) => {
    const part = bodies.find((one) => (one.headers['content-type'] ?? '').startsWith(type));
    return part === undefined
      ? ''
      : decode(part.body, part.headers['content-transfer-encoding'] ?? '')
          .replaceAll('\r\n', '\n')
          .trimEnd();
  };
  return { headers, text: bodyOf('text/plain'), html: bodyOf('text/html') };
}

/** Of parts within parts, the innermost. */
function partsOf(part: Part): Part[] {
  const boundary = /boundary="?([^";]+)"?/.exec(part.headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return [part];
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((inner) => partsOf(split(inner.replace(/^\r\n/, ''))));
}

interface Part {
  headers: Record<string, string>;
  body: string;
}

function split(text: string): Part {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: text.slice(end + 4) };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1').toString();
  return fromPercent(body.replace(/=\r\n/g, ''));
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_whole, kind: string, word: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : fromPercent(word.replaceAll('_', ' ')),
    );
}

function fromPercent(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
