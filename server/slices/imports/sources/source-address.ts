// Addresses of source databases, also in the form in which one-api and new-api have them in SQL_DSN.

export type SourceAddress = { engine: 'sqlite'; file: string } | { engine: 'mysql' | 'postgresql'; url: string };

/** `user:password@tcp(host:3306)/database?charset=utf8mb4`, https://github.com/go-sql-driver/mysql#dsn-data-source-name */
const goDsn = /^([^:@/]*)(?::(.*))?@tcp\(([^)]+)\)\/([^?]*)(?:\?.*)?$/s;

export function readSourceAddress(text: string): SourceAddress {
  const given = text.trim();
  if (/^mysql:\/\//i.test(given)) return { engine: 'mysql', url: given };
  if (/^postgres(?:ql)?:\/\//i.test(given)) return { engine: 'postgresql', url: given };
  const dsn = goDsn.exec(given);
  if (dsn !== null) {
    const [, user = '', password = '', host = '', database = ''] = dsn;
    return {
      engine: 'mysql',
      url: `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${encodeURIComponent(database)}`,
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
