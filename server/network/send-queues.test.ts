import { expect, test } from 'vitest';
import { parseSendQueues } from './send-queues.ts';

const text = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 253341 1 00000000 100 0 0 10 0
   1: 0100007F:0BB8 0100007F:AB2C 01 0038D400:00000000 01:00000000 00000000     0        0 253342 1 00000000 100 0 0 10 0
   2: 0100007F:AB2C 0100007F:0BB8 01 00000000:0001FC00 00:00000000 00000000     0        0 253343 1 00000000 100 0 0 10 0
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt
   0: 0000000000000000FFFF00000100007F:0BB8 0000000000000000FFFF0000070071CB:C001 01 00000010:00000000 01:00000000 00000000
   1: B80D0120000000000000000001000000:0BB8 B80D0120000000000000000002000000:C001 01 00000011:00000000 01:00000000 00000000
`;

test.each([
  ['127.0.0.1', 0xab2c, 0x38d400],
  ['::ffff:127.0.0.1', 0xab2c, 0x38d400],
  ['203.113.0.7', 0xc001, 0x10],
  ['2001:db8::2', 0xc001, 0x11],
  ['2001:db8::3', 0xc001, undefined],
  ['203.113.0.7', 0xc002, undefined],
  [undefined, 0xc001, undefined],
])('send queues: of %s, port %i: %s', (remoteAddress, remotePort, bytes) => {
  expect(parseSendQueues(text).of({ localPort: 3000, remoteAddress, remotePort })).toBe(bytes);
});
