// A database of new-api as a large installation has it: few users that call much, many that call little, a year of log rows.
import { writeFileSync, readFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';

const days = 365;
const models = ['gpt-4o-mini', 'gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash', 'deepseek-chat', 'mock'];
const rowsAtOnce = 20_000;
const invitedEvery = 5;
/** bcrypt of an invented password. */
const password = '$2a$10$d20MaFc8QIiE02deCLo/SeALF/SvFIjn.VIm/cnexGE5sHBJexJ/O';

export interface ImportSourceSize {
  users: number;
  logs: number;
  /** Unix seconds of the newest log row. */
  end: number;
}

/** Fills a copy of a database that new-api has written, so that tables, columns and indexes are its own. Every user has one or two tokens. */
export function writeImportSource(file: string, { users, logs, end }: ImportSourceSize): void {
  writeFileSync(file, gunzipSync(readFileSync(new URL('../support/imports/new-api-2026.db.gz', import.meta.url))));
  using database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000');
  const random = generator(11);
  const first = 1000;
  const tokenOwners: number[] = [];
  fill(database, 'users', users, (index) => {
    const id = first + index;
    const own = 1 + Math.floor(random() * 1.2);
    for (let token = 0; token < own; token += 1) tokenOwners.push(id);
    return {
      id,
      username: `user-${id}`,
      password,
      display_name: `用户 ${id}`,
      role: 1,
      status: index % 97 === 0 ? 2 : 1,
      email: `user-${id}@people.example`,
      quota: Math.floor(random() * 20_000_000) - (index % 211 === 0 ? 20_000_000 : 0),
      used_quota: Math.floor(random() * 50_000_000),
      request_count: Math.floor(random() * 5000),
      group: index % 9 === 0 ? 'vip' : 'default',
      aff_code: `c${id.toString(36)}`,
      inviter_id: index % invitedEvery === 0 && index > 0 ? id - 1 : 0,
      deleted_at: index % 501 === 500 ? '2026-11-28 20:30:08.66559245+00:00' : null,
      setting: '{"notify_type":"email"}',
      created_at: end - days * 86_400,
    };
  });
  fill(database, 'tokens', tokenOwners.length, (index) => ({
    id: first + index,
    user_id: tokenOwners[index] ?? 0,
    key: `${index.toString(36).padStart(10, '0')}Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb3dEf`,
    status: index % 53 === 0 ? 2 : 1,
    name: `key ${index}`,
    created_time: end - days * 86_400,
    accessed_time: end,
    expired_time: -1,
    remain_quota: Math.floor(random() * 1_000_000),
    unlimited_quota: index % 3 === 0 ? 1 : 0,
    model_limits_enabled: 0,
    used_quota: Math.floor(random() * 2_000_000),
    group: '',
  }));
  fill(database, 'logs', logs, (index) => {
    // A power law: few tokens make most of the calls.
    const token = Math.floor(tokenOwners.length * random() ** 3);
    const isError = random() < 0.03;
    const isPlan = random() < 0.001;
    const millis = Math.round(500 + 20_000 * random() ** 2);
    return {
      id: first + index,
      user_id: tokenOwners[token] ?? 0,
      created_at: Math.floor(end - ((logs - 1 - index) * days * 86_400) / logs),
      type: isError ? 5 : isPlan ? 1 : 2,
      content: isError ? 'status code 429: too many requests' : '',
      username: `user-${tokenOwners[token] ?? 0}`,
      token_name: `key ${token}`,
      model_name: models[Math.floor(models.length * random() ** 2)] ?? '',
      quota: isError ? 0 : 1 + Math.floor(4000 * random()),
      prompt_tokens: Math.floor(3000 * random()),
      completion_tokens: Math.floor(900 * random()),
      use_time: Math.round(millis / 1000),
      is_stream: random() < 0.6 ? 1 : 0,
      channel_id: 1 + (index % 17),
      token_id: first + token,
      group: 'default',
      request_id: `20261128203442${index}bench`,
      other: `{"admin_info":{"is_multi_key":false,"use_channel":["${1 + (index % 17)}"]},"cache_ratio":0.5,"cache_tokens":${index % 700},"completion_ratio":8,"frt":${millis / 2},"group_ratio":1,"model_price":-1,"model_ratio":1.25,"user_group_ratio":-1}`,
    };
  });
}

function fill(
  database: DatabaseSync,
  table: string,
  count: number,
  rowOf: (index: number) => Readonly<Record<string, SQLInputValue>>,
): void {
  if (count === 0) return;
  // With the indexes of the table, which are rebuilt once it is full.
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL")
    .all(table);
  for (const { name } of indexes) database.exec(`DROP INDEX \`${String(name)}\``);
  let insert: ReturnType<DatabaseSync['prepare']> | undefined;
  for (let from = 0; from < count; from += rowsAtOnce) {
    database.exec('BEGIN');
    for (let index = from; index < Math.min(count, from + rowsAtOnce); index += 1) {
      const row = rowOf(index);
      const names = Object.keys(row);
      insert ??= database.prepare(
        `INSERT INTO ${table} (${names.map((name) => `\`${name}\``).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      insert.run(...Object.values(row));
    }
    database.exec('COMMIT');
  }
  for (const { sql } of indexes) database.exec(String(sql));
}

/** Small and repeatable. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
