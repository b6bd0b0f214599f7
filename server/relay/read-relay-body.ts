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
  return new Promise((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > limit) {
      reject(new AppError('body_too_large', { limit }));
      return;
    }
    let first: Buffer | null = null;
    let rest: Buffer[] | null = null;
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        reject(new AppError('body_too_large', { limit }));
        request.removeAllListeners('data');
        request.resume();
        return;
      }
      if (first === null) first = chunk;
      else (rest ??= [first]).push(chunk);
    });
    request.once('end', () => {
      try {
        resolve(decoder.decode(rest === null ? (first ?? new Uint8Array()) : Buffer.concat(rest, size)));
      } catch (cause) {
        reject(new AppError('invalid_utf8', {}, { cause }));
      }
    });
    request.once('error', (cause) => reject(new AppError('client_closed', {}, { cause })));
    request.once('close', () => reject(new AppError('client_closed')));
  });
}
