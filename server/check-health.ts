// `node server/check-health.ts`: ends with 0 if the server of this environment answers its health check, for containers.
import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { readEnv } from '#server/env.ts';

const { HOST, PORT, TLS_CERT } = readEnv();
const everyAddress = ['0.0.0.0', '::', ''];
const address = {
  host: everyAddress.includes(HOST) ? '127.0.0.1' : HOST,
  port: PORT,
  path: '/healthz',
  timeout: 4_000,
};
// The certificate is for the name that clients use.
const sent = TLS_CERT === undefined ? plainRequest(address) : tlsRequest({ ...address, rejectUnauthorized: false });
sent.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
sent.on('error', () => process.exit(1));
sent.on('timeout', () => process.exit(1));
sent.end();
