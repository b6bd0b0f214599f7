// Tokens of users, for administrators. A token is theirs to see if its owner is: users below them, and themselves.
import { AppError } from '#shared/errors.ts';
import { fieldRules, invalidField } from '#shared/field-rules.ts';
import { mayActOn } from '#shared/roles.ts';
import type { TokenOwner, UserToken, UserTokenPage } from '#shared/user-tokens.ts';
import { findNamesake } from '#server/accounts/folded-name.ts';
import { requireAboveOwners } from '#server/accounts/owners.ts';
import type { AppContext } from '#server/context.ts';
import type { Filter } from '#server/db/collection.ts';
import type { TokenRecord } from '#server/db/records/token.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { pageBounds } from '#server/http/paging.ts';
import { endingOfToken } from '#server/tokens/key-endings.ts';
import { presentKeyless } from '../present-token.ts';

/** Tokens that one request compares. */
const mostRead = 5_000;
const rowsAtOnce = 200;

type Reader = Pick<UserRecord, 'id' | 'role'>;

export interface OwnedToken {
  token: TokenRecord;
  owner: UserRecord;
}

interface TokenQuery {
  /** Id or username. */
  user?: string | undefined;
  keyword?: string | undefined;
  cursor?: string | undefined;
  page_size?: number | undefined;
}

/** A page of tokens that are not deleted, newest first. @throws {AppError} `invalid_field`, `user_read_denied` */
export async function listUserTokens(context: AppContext, query: TokenQuery, reader: Reader): Promise<UserTokenPage> {
  const { cursor } = query;
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw invalidField('cursor', fieldRules.invalid);
  const chosen = query.user === undefined ? undefined : await findOwner(context, query.user);
  if (chosen === null) return { items: [] };
  if (chosen !== undefined) checkMayRead(reader, chosen);
  const { size } = pageBounds(query);
  const keyword = query.keyword?.toLowerCase();
  const owners = new Owners(context, reader);
  const found: OwnedToken[] = [];
  let last = cursor === undefined ? undefined : Number(cursor);
  for (let read = 0; read < mostRead;) {
    const rows = await context.db.collection('tokens').find(before(last, chosen?.id), { sort: [['id', -1]], limit: rowsAtOnce });
    await owners.readOf(rows);
    for (const token of rows) {
      const owner = token.DeletedAt === null ? owners.visible(token.user_id) : undefined;
      if (owner !== undefined && (keyword === undefined || token.name.toLowerCase().includes(keyword))) {
        if (found.length === size) return { items: await presentAll(context, found), cursor: String(last) };
        found.push({ token, owner });
      }
      last = token.id;
    }
    read += rows.length;
    if (rows.length < rowsAtOnce) return { items: await presentAll(context, found) };
  }
  return { items: await presentAll(context, found), cursor: String(last), searched: mostRead };
}

function before(id: number | undefined, user: number | undefined): Filter<TokenRecord> {
  return { ...(user === undefined ? {} : { user_id: user }), ...(id === undefined ? {} : { id: { lt: id } }) };
}

/** @throws {AppError} `not_found`, `user_read_denied` */
export async function readUserToken(context: AppContext, id: number, reader: Reader): Promise<OwnedToken> {
  const token = await context.db.collection('tokens').get(id);
  if (token === null) throw new AppError('not_found');
  const owner = await ownerOf(context, token.user_id);
  checkMayRead(reader, owner);
  return { token, owner };
}

/** A token that is not deleted, of a user below the actor. @throws {AppError} `not_found`, `user_edit_denied` */
export async function readManagedToken(context: AppContext, id: number, actor: Reader): Promise<OwnedToken> {
  const token = await context.db.collection('tokens').get(id);
  if (token === null || token.DeletedAt !== null) throw new AppError('not_found');
  const owner = await ownerOf(context, token.user_id);
  if (!mayActOn(actor.role, owner.role)) throw new AppError('user_edit_denied');
  await requireAboveOwners(context, actor, owner, true);
  return { token, owner };
}

/** Those of the tokens whose owners the reader may see. */
export async function visibleOf(context: AppContext, tokens: readonly TokenRecord[], reader: Reader): Promise<OwnedToken[]> {
  const owners = new Owners(context, reader);
  await owners.readOf(tokens);
  return tokens.flatMap((token) => {
    const owner = owners.visible(token.user_id);
    return owner === undefined ? [] : [{ token, owner }];
  });
}

/** Without names of other users. */
export function presentPlain(context: AppContext, { token, owner }: OwnedToken): UserToken {
  return { ...presentKeyless(context, token), ending: endingOfToken(context, token), owner: presentOwner(owner), blocked_by: '' };
}

export async function presentOne(context: AppContext, owned: OwnedToken): Promise<UserToken> {
  const [presented] = await presentAll(context, [owned]);
  if (presented === undefined) throw new AppError('not_found');
  return presented;
}

export async function presentAll(context: AppContext, owned: readonly OwnedToken[]): Promise<UserToken[]> {
  const ids = owned.flatMap(({ token }) => [token.moved_to, token.moved_from]).filter((id) => id !== undefined);
  const others = ids.length === 0 ? [] : await context.db.collection('tokens').find({ id: { in: ids } });
  const people = [...others.map((token) => token.user_id), ...owned.flatMap(({ token }) => token.blocked_by ?? [])];
  const found = people.length === 0 ? [] : await context.db.collection('users').find({ id: { in: [...new Set(people)] } });
  const names = new Map(found.map((user) => [user.id, user.username]));
  const places = new Map(others.map(({ id, user_id }) => [id, { id, user_id, username: names.get(user_id) ?? '' }]));
  return owned.map(({ token, owner }) => {
    const [to, from] = [places.get(token.moved_to ?? 0), places.get(token.moved_from ?? 0)];
    return {
      ...presentPlain(context, { token, owner }),
      blocked_by: token.blocked_by === undefined ? '' : (names.get(token.blocked_by) ?? `#${token.blocked_by}`),
      ...(to === undefined ? {} : { moved_to: to }),
      ...(from === undefined ? {} : { moved_from: from }),
    };
  });
}

function presentOwner({ id, username, display_name, role, status, DeletedAt }: UserRecord): TokenOwner {
  return { id, username, display_name, role, status, is_deleted: DeletedAt !== null };
}

async function ownerOf({ db }: AppContext, id: number): Promise<UserRecord> {
  const owner = await db.collection('users').get(id);
  if (owner === null) throw new AppError('user_not_found');
  return owner;
}

/** The user with this id, else with this name. */
async function findOwner(context: AppContext, text: string): Promise<UserRecord | null> {
  const byId = /^\d{1,15}$/.test(text) ? await context.db.collection('users').get(Number(text)) : null;
  return byId ?? findNamesake(context, text);
}

function mayRead(reader: Reader, owner: UserRecord): boolean {
  return owner.id === reader.id || mayActOn(reader.role, owner.role);
}

function checkMayRead(reader: Reader, owner: UserRecord): void {
  if (!mayRead(reader, owner)) throw new AppError('user_read_denied');
}

/** Owners of listed tokens, each read once. */
class Owners {
  readonly #context: AppContext;
  readonly #reader: Reader;
  readonly #known = new Map<number, UserRecord>();

  constructor(context: AppContext, reader: Reader) {
    this.#context = context;
    this.#reader = reader;
  }

  async readOf(tokens: readonly TokenRecord[]): Promise<void> {
    const ids = [...new Set(tokens.map((token) => token.user_id))].filter((id) => !this.#known.has(id));
    if (ids.length === 0) return;
    for (const user of await this.#context.db.collection('users').find({ id: { in: ids } })) this.#known.set(user.id, user);
  }

  visible(id: number): UserRecord | undefined {
    const owner = this.#known.get(id);
    return owner !== undefined && mayRead(this.#reader, owner) ? owner : undefined;
  }
}
