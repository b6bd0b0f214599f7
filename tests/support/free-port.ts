import { createServer } from 'node:net';

/** Returns a port of this machine that nothing listens on: for servers whose restarted processes must listen where the former ones did. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
