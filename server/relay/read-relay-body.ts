import type { IncomingMessage } from 'node:http';
import { AppError } from '#shared/errors.ts';
import type { Connection } from '#server/http/connection.ts';
import { readText } from '#server/http/read-body.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The body as text, straight from Node's request where there is one: a web stream in between costs more than the rest.
 * @throws {AppError} as `readText`
 */
export function readRelayBody(request: Request, connection: Connection | null, limit: number): Promise<string> {
  const encoding = request.headers.get('content-encoding');
  if (connection === null || (encoding !== null && encoding !== 'identity')) return readText(request, limit);
  return readNode(connection.req, limit);
}

function readNode(request: IncomingMessage, limit: number): Promise<string> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) return Promise.reject(new AppError('body_too_large', { limit }));
  return new Promise((resolve, reject) => {
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    let size = 0;
    const stop = () => {
      request.off('data', take);
      request.off('end', end);
      request.off('close', leave);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        stop();
        request.resume(); // the rest is thrown away
        reject(new AppError('body_too_large', { limit }));
      } else if (first === null) first = chunk;
      else (rest ??= [first]).push(chunk);
    };
    const end = () => {
      stop();
      try {
        resolve(decoder.decode(rest === null ? (first ?? new Uint8Array()) : Buffer.concat(rest, size)));
      } catch (cause) {
        reject(new AppError('invalid_utf8', {}, { cause }));
      }
    };
    // A connection that closes first also says so by an error.
    const leave = (cause?: unknown) => {
      stop();
      reject(new AppError('client_closed', {}, { cause }));
    };
    request.on('data', take);
    request.on('end', end);
    request.on('close', leave);
    request.on('error', leave);
  });
}
