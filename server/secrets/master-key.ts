// The key under which everything else is encrypted and hashed: SESSION_SECRET, or a key file next to the embedded database.
import { randomBytes } from 'node:crypto';
import { access, constants, link, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UniqueConflict } from '#server/db/collection.ts';
import { type DatabaseUrl, parseDatabaseUrl } from '#server/db/database-url.ts';
import type { Database } from '#server/db/database.ts';
import { type Env, EnvironmentError } from '#server/env.ts';
import { keyMark } from '#server/secrets/key-mark.ts';

const factId = 'master_key';
const shortestKey = 32;

/**
 * The key that there is; null where a new embedded database is to get one. Nothing is written: the start may yet be refused.
 * @throws {EnvironmentError} when there can be none, or it cannot be read
 */
export async function findMasterKey(env: Pick<Env, 'SESSION_SECRET' | 'DATABASE_URL'>): Promise<string | null> {
  if (env.SESSION_SECRET !== undefined) return env.SESSION_SECRET;
  const file = keyFileOf(parseDatabaseUrl(env.DATABASE_URL));
  if (file === null) {
    throw new EnvironmentError(
      'The configuration is wrong: with MongoDB, SESSION_SECRET must be set, to the same text for every server process: the stored keys are encrypted with it',
    );
  }
  return readKeyFile(file);
}

/**
 * Makes the key file of a new embedded database, readable by its owner only, or reads the one that another process has just
 * made. @throws {EnvironmentError} when the database was begun with a key that is not here
 */
export async function makeMasterKey(env: Pick<Env, 'DATABASE_URL'>, db: Database): Promise<string> {
  const file = keyFileOf(parseDatabaseUrl(env.DATABASE_URL));
  if (file === null) throw new TypeError('Only an embedded database has a key file');
  // In this order: a process that begins a database makes the file before it marks the database.
  const isBegun = (await db.collection('facts').get(factId)) !== null;
  const key = await readKeyFile(file);
  if (key !== null) return key;
  if (isBegun) {
    throw new EnvironmentError(
      `The key file ${file} is missing, and the stored keys cannot be read without it: restore it from a backup, or set SESSION_SECRET if the database named by DATABASE_URL was made with one`,
    );
  }
  return makeKeyFile(file);
}

/** Returns the key file next to an embedded database; null for any other. */
export function keyFileOf(target: DatabaseUrl): string | null {
  if (target.kind !== 'embedded') return null;
  const { dir, name } = path.parse(target.file);
  return path.join(dir, `${name}.key`);
}

async function readKeyFile(file: string): Promise<string | null> {
  const key = await readIfThere(file);
  if (key !== null && key.length < shortestKey)
    throw new EnvironmentError(`The key file ${file} is damaged; restore it from a backup: the stored keys cannot be read without it`);
  return key;
}

async function makeKeyFile(file: string): Promise<string> {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    try {
      // A link appears whole or not at all, and not where a file is: of two processes that start at once, one wins.
      await link(draft, file);
    } catch (failure) {
      if (!hasCode(failure, 'EEXIST')) throw failure;
    } finally {
      await unlink(draft);
    }
  } catch (cause) {
    throw new EnvironmentError(
      `The key file ${file} cannot be made beside the database that DATABASE_URL names (${reason(cause)}); make its folder writable, or set SESSION_SECRET`,
      { cause },
    );
  }
  const key = await readKeyFile(file);
  if (key === null) throw new EnvironmentError(`The key file ${file} was removed while the server started; start it again`);
  return key;
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    // Where the folder is none or closed, so is the database: opening that says what is wrong with DATABASE_URL.
    if (hasCode(cause, 'ENOENT') || hasCode(cause, 'ENOTDIR') || !(await isOpenFolder(path.dirname(file)))) return null;
    throw new EnvironmentError(
      `The key file ${file} cannot be read (${reason(cause)}); it belongs to the database that DATABASE_URL names: make it readable, or set SESSION_SECRET`,
      { cause },
    );
  }
}

async function isOpenFolder(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Refuses a key that is not the one the database was begun with: it could neither find a token nor decrypt a channel's key.
 * @throws {EnvironmentError}
 */
export async function checkMasterKey(db: Database, masterKey: string): Promise<void> {
  const facts = db.collection('facts');
  const mark = keyMark(masterKey);
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

function reason(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
