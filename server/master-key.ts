// The key under which everything else is encrypted and hashed: SESSION_SECRET, or a key file beside the embedded database.
import { createHmac, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UniqueConflict } from '#server/db/collection.ts';
import { parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Database } from '#server/db/database.ts';
import { EnvironmentError } from '#server/env.ts';
import type { Env } from '#server/env.ts';

const factId = 'master_key';
const shortestKey = 32;

/** @throws {EnvironmentError} when there is neither a secret nor a file that could hold one */
export async function readMasterKey(env: Pick<Env, 'SESSION_SECRET' | 'DATABASE_URL'>): Promise<string> {
  if (env.SESSION_SECRET !== undefined) return env.SESSION_SECRET;
  const target = parseDatabaseUrl(env.DATABASE_URL);
  if (target.kind !== 'embedded') {
    throw new EnvironmentError(
      'The configuration is wrong: with MongoDB, SESSION_SECRET must be set, to the same text for every server process: the stored keys are encrypted with it',
    );
  }
  const { dir, name } = path.parse(target.file);
  return readKeyFile(path.join(dir, `${name}.key`));
}

/** Makes the file, readable by its owner only, when it is not there. */
async function readKeyFile(file: string): Promise<string> {
  const key = (await readIfThere(file)) ?? (await makeKeyFile(file));
  if (key.length < shortestKey)
    throw new EnvironmentError(`The key file ${file} is damaged; restore it from a backup: the stored keys cannot be read without it`);
  return key;
}

async function makeKeyFile(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link appears whole or not at all, and not where a file is: of two processes that start at once, one wins.
    await link(draft, file);
  } catch (failure) {
    if (!hasCode(failure, 'EEXIST')) throw failure;
  } finally {
    await unlink(draft);
  }
  return (await readIfThere(file)) ?? '';
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (failure) {
    if (hasCode(failure, 'ENOENT')) return null;
    if (failure instanceof Error) throw new EnvironmentError(`The key file ${file} cannot be read: ${failure.message}`, { cause: failure });
    throw failure;
  }
}

/**
 * Refuses a key that is not the one the database was begun with: it could neither find a token nor decrypt a channel's key.
 * @throws {EnvironmentError}
 */
export async function checkMasterKey(db: Database, masterKey: string): Promise<void> {
  const facts = db.collection('facts');
  const mark = createHmac('sha256', masterKey).update('tidegate master key').digest('base64url');
  const known = await facts.get(factId);
  if (known?.value === mark) return;
  if (known === null) {
    try {
      await facts.insert({ id: factId, value: mark });
      return;
    } catch (failure) {
      if (!(failure instanceof UniqueConflict)) throw failure;
      return checkMasterKey(db, masterKey);
    }
  }
  throw new EnvironmentError(
    'The master key (SESSION_SECRET, or the .key file beside the database) is not the one this database was made with; the stored keys cannot be read with it',
  );
}

function hasCode(failure: unknown, code: string): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === code;
}
