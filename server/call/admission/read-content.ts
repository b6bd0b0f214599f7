// Reads the body of a request into the content of its call.
import type { CriticalMembers } from '#server/formats/critical-members.ts';
import { partBytes } from '#server/framing/part-budget.ts';
import type { Bodies } from '#server/http/bodies.ts';
import type { Connection } from '#server/http/connection.ts';
import { type BodyReading, type RawBody, readBody } from '#server/http/read-body.ts';
import type { SpoolFile } from '#server/http/spool.ts';
import type { RelayBody } from '#server/call/endpoints.ts';
import {
  CallContent,
  type ContentDependencies,
  type KnownContent,
  type MultipartSource,
  type NamesOf,
  rawOf,
  type SplitBody,
} from './call-content.ts';

interface ContentSource {
  request: Request;
  connection: Connection | null;
  /** Maximum bytes after decompression. */
  limit: number;
  userId: number;
  /** Splits the gateway's fields off the body. If undefined, all fields are for the upstream. */
  split?: SplitBody;
  names: NamesOf;
  form?: MultipartSource | undefined;
}

/** @throws {AppError} as `readBody` and `parseBody`, and `invalid_request` */
export function readContent(
  bodies: Bodies,
  { request, connection, limit, userId, split, names, form }: ContentSource,
): Promise<CallContent> {
  const owner = `user:${userId}`;
  const hold = bodies.open(owner);
  const spool = form === undefined ? undefined : bodies.spool.open(owner);
  const reading = { request, connection, limit, hold, watch: bodies.watch, spool };
  const dependencies = { bodies, owner, hold, split, names, form, ownsBytes: true };
  if (spool !== undefined) return readSpooled(reading, spool, dependencies);
  return readBody(reading).then((raw) => openContent(raw, dependencies));
}

async function readSpooled(reading: BodyReading, spool: SpoolFile, dependencies: ContentDependencies): Promise<CallContent> {
  try {
    return await openContent(await readBody(reading), dependencies);
  } catch (failure) {
    spool.end();
    throw failure;
  }
}

/**
 * Opens the content of a received body; returns a promise only for a long one. If it fails, the hold is released.
 * @throws {AppError} as `parseBody`, and `invalid_request`
 */
export function openContent(raw: RawBody, dependencies: ContentDependencies, known: KnownContent = {}): CallContent | Promise<CallContent> {
  const { hold } = dependencies;
  const { bytesBefore = 0, partsBefore = 0 } = known;
  const content = new CallContent(raw, dependencies, known);
  try {
    hold.grow(bytesBefore + (raw.parts + partsBefore) * partBytes);
    // The request that is sent is a second copy.
    if (content.isLarge) hold.grow(raw.bytes.length + bytesBefore);
    const preparing = content.prepare();
    return preparing instanceof Promise ? prepared(content, preparing) : content;
  } catch (failure) {
    content.release();
    throw failure;
  }
}

async function prepared(content: CallContent, preparing: Promise<void>): Promise<CallContent> {
  try {
    await preparing;
    return content;
  } catch (failure) {
    content.release();
    throw failure;
  }
}

/**
 * Opens the content of a body that the gateway has built.
 * @throws {AppError} `bodies_of_caller`, `bodies_of_server`
 */
export async function openBody(
  bodies: Bodies,
  { body, userId, names }: { body: RelayBody; userId: number; names: CriticalMembers },
): Promise<CallContent> {
  const { text, raw } = rawOf(body);
  const owner = `user:${userId}`;
  const hold = bodies.open(owner);
  hold.grow(raw.bytes.length);
  return openContent(raw, { bodies, owner, hold, split: undefined, names }, { parsed: { text, value: body } });
}
