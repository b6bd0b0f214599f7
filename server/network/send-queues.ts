// Reads the bytes of a connection that the system has yet to send, or that are unacknowledged: bytes that its reader has not received. Only the
// system knows: it buffers some megabytes, and requests more from a program when a third of them is free, which a slow reader takes minutes for.
import { readFile } from 'node:fs/promises';
import { endianness } from 'node:os';
import type { Socket } from 'node:net';
import { parseAddress } from './addresses.ts';

export interface SendQueues {
  /** Bytes; undefined: the system says nothing about this connection. */
  of(socket: Pick<Socket, 'localPort' | 'remotePort' | 'remoteAddress'>): number | undefined;
}

/** One table for each family of addresses. https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Null: this system does not report it. */
export async function readSendQueues(): Promise<SendQueues | null> {
  const texts = await Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => '')));
  return texts.every((text) => text === '') ? null : parseSendQueues(texts.join('\n'));
}

export function parseSendQueues(text: string): SendQueues {
  const queues = new Map<string, number>();
  // Number, local address, remote address, state, bytes to be sent. Connections without any are left out.
  const row = /^ *\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+):([\dA-F]{4}) [\dA-F]{2} (?!0{8})([\dA-F]{8}):/gm;
  for (const [, local = '', address = '', remote = '', bytes = ''] of text.matchAll(row)) {
    queues.set(`${local} ${withoutMapping(address)} ${remote}`, Number.parseInt(bytes, 16));
  }
  return {
    of({ localPort, remotePort, remoteAddress }) {
      const address = parseAddress(remoteAddress ?? '')?.toByteArray();
      if (localPort === undefined || remotePort === undefined || address === undefined) return undefined;
      return queues.get(`${port(localPort)} ${wordsOf(address)} ${port(remotePort)}`);
    },
  };
}

const isLittle = endianness() === 'LE';

/** As the tables have it: in words of four bytes, in the order of the machine. */
function wordsOf(bytes: readonly number[]): string {
  const words = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    words.push(Buffer.from(isLittle ? word.toReversed() : word).toString('hex'));
  }
  return words.join('').toUpperCase();
}

const mapping = wordsOf([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]);

/** IPv4 within IPv6 is IPv4. */
function withoutMapping(address: string): string {
  return address.length === 32 && address.startsWith(mapping) ? address.slice(mapping.length) : address;
}

function port(number: number): string {
  return number.toString(16).toUpperCase().padStart(4, '0');
}
