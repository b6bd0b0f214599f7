// Addresses of source databases, also in the form in which one-api and new-api have them in SQL_DSN.

export type SourceAddress = { engine: 'sqlite'; file: string } | { engine: 'mysql' | 'postgresql'; url: string };

/** `user:password@tcp(host:3306)/database?charset=utf8mb4`, https://github.com/go-sql-driver/mysql#dsn-data-source-name */
const goDsn = /^([^:@/]*)(?::(.*))?@tcp\(([^)]+)\)\/([^?]*)(?:\?.*)?$/s;

/** TLS of Go's driver, in the form of the driver here. */
function tlsOf(dsn: string): string {
  const value = /[?&]tls=([^&]*)/.exec(dsn)?.[1] ?? 'false';
  if (value === 'false' || value === '') return '';
  return `?ssl=${encodeURIComponent(JSON.stringify({ rejectUnauthorized: value === 'true' }))}`;
}

export function readSourceAddress(text: string): SourceAddress {
  const given = text.trim();
  if (/^mysql:\/\//i.test(given)) return { engine: 'mysql', url: given };
  if (/^postgres(?:ql)?:\/\//i.test(given)) return { engine: 'postgresql', url: given };
  const dsn = goDsn.exec(given);
  if (dsn !== null) {
    const [, user = '', password = '', host = '', database = ''] = dsn;
    return {
      engine: 'mysql',
      url: `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${encodeURIComponent(database)}${tlsOf(dsn[0])}`,
    };
  }
  return { engine: 'sqlite', file: given.replace(/^(?:file|sqlite):(?:\/\/)?/, '') };
}

/** Host and database of an address, without user and password. */
export function sourceName(address: SourceAddress): string {
  if (address.engine === 'sqlite') return address.file.split(/[/\\]/).at(-1) ?? '';
  if (!URL.canParse(address.url)) return '';
  const { host, pathname } = new URL(address.url);
  return `${host}${pathname}`;
}

/** TLS of a connection, by the values that drivers and servers name it by. */
const encrypted = /^(?:require|required|prefer|preferred|no-verify|skip-verify|true|1|\{.*)$/i;
const verified = /^(?:verify[-_](?:ca|full|identity)|\{"rejectUnauthorized":true\})$/i;

/**
 * Address of a server, with nothing but host, port, account and database: further parameters of drivers name files and sockets of this machine.
 * Undefined if it is no such address.
 */
export function readRemoteAddress(text: string): Exclude<SourceAddress, { engine: 'sqlite' }> | undefined {
  const address = readSourceAddress(text);
  if (address.engine === 'sqlite' || !URL.canParse(address.url)) return undefined;
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(address.url);
  // `%2F` in the host is a socket.
  if (!/^[\w.:[\]-]+$/.test(hostname)) return undefined;
  // The driver would take the account of this process.
  if (address.engine === 'postgresql' && username === '') return undefined;
  const account = username === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`;
  const wanted = ['sslmode', 'ssl-mode', 'tls', 'ssl'].map((name) => searchParams.get(name) ?? '').find((value) => value !== '') ?? '';
  const level = verified.test(wanted) ? 'verified' : encrypted.test(wanted) ? 'encrypted' : 'none';
  const query = level === 'none' ? '' : `?${tlsQueries[address.engine][level]}`;
  return { engine: address.engine, url: `${protocol}//${account}${hostname}${port === '' ? '' : `:${port}`}${pathname}${query}` };
}

const tlsQueries = {
  mysql: { verified: 'ssl=%7B%22rejectUnauthorized%22%3Atrue%7D', encrypted: 'ssl=%7B%22rejectUnauthorized%22%3Afalse%7D' },
  postgresql: { verified: 'sslmode=verify-full', encrypted: 'sslmode=no-verify' },
} as const;
