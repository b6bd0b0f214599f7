// Payment aggregator with the form interface over HTTP, written from its description and not from our code: accepts the form that a browser posts,
// checks its signature, and repeats the notice of a payment until the merchant returns `success`.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeEpay extends AsyncDisposable {
  /** For `PayAddress`. */
  readonly url: string;
  readonly merchant: { id: string; key: string };
  /** What a browser does with the form; the status of the page. */
  submit(form: { url: string; fields: Record<string, string> }): Promise<number>;
  /** The order was paid: the signed notice, as a query. `changes` replaces or adds fields before it is signed. */
  notice(tradeNo: string, changes?: Record<string, string>): URLSearchParams;
  /** Sends it to the address of the form; the merchant's answer. */
  notify(tradeNo: string, changes?: Record<string, string>, method?: 'GET' | 'POST'): Promise<string>;
  close(): Promise<void>;
}

const merchant = { id: '1042', key: 'k7Q2xV9mP4sT8wZ1' };

export async function startFakeEpay(): Promise<FakeEpay> {
  const orders = new Map<string, Record<string, string>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A browser requests the site's icon, too.
      if (request.url !== '/gateway/submit.php') return response.writeHead(204).end();
      const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
      const isKnown = form['pid'] === merchant.id && form['sign'] === sign(form);
      if (isKnown) orders.set(form['out_trade_no'] ?? '', form);
      return response.writeHead(isKnown ? 200 : 403).end(isKnown ? 'Scan to pay' : 'Wrong signature');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Of a server that listens on a port.
  const { port } = server.address() as AddressInfo;

  function notice(tradeNo: string, changes: Record<string, string> = {}): URLSearchParams {
    const order = orders.get(tradeNo) ?? {};
    const fields: Record<string, string> = {
      pid: merchant.id,
      trade_no: `2026${tradeNo}`,
      out_trade_no: tradeNo,
      type: order['type'] ?? 'alipay',
      name: order['name'] ?? '',
      money: order['money'] ?? '',
      trade_status: 'TRADE_SUCCESS',
      param: '',
      ...changes,
    };
    return new URLSearchParams({ ...fields, sign: sign(fields), sign_type: 'MD5' });
  }
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}/gateway/`,
    merchant,
    async submit({ url, fields }) {
      const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
      await response.text();
      return response.status;
    },
    notice,
    async notify(tradeNo, changes, method = 'GET') {
      const address = orders.get(tradeNo)?.['notify_url'] ?? '';
      const fields = notice(tradeNo, changes);
      const response = method === 'GET' ? await fetch(`${address}?${fields}`) : await fetch(address, { method, body: fields });
      return response.text();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function sign(fields: Record<string, string>): string {
  const names = Object.keys(fields)
    .filter((name) => !['sign', 'sign_type'].includes(name) && fields[name] !== '')
    .sort();
  const text = names.map((name) => `${name}=${fields[name]}`).join('&');
  return createHash('md5')
    .update(text + merchant.key)
    .digest('hex');
}
