// iFlytek Spark over WebSocket: the secret signs the URL, and the message names the application.
// https://www.xfyun.cn/doc/spark/general_url_authentication.html
import { PiecedBody, wholeOf } from '#server/framing/byte-source.ts';
import { createHmac } from 'node:crypto';
import { isObject, parseObject } from '#server/framing/loose-json.ts';
import { type Authorization, keyForm } from './scheme.ts';

/** @param key `APPID|APISecret|APIKey` */
export function sparkSocket(key: string): Authorization {
  const [application = '', secret = '', name = '', ...more] = key.split('|').map((part) => part.trim());
  if (application === '' || secret === '' || name === '' || more.length > 0) {
    return { headers: {}, problem: keyForm('APPID|APISecret|APIKey') };
  }
  return {
    headers: {},
    problem: null,
    sign(request, { now }) {
      const { origin, path, body } = request;
      const host = new URL(origin).host;
      const date = new Date(now).toUTCString();
      const signature = createHmac('sha256', secret).update(`host: ${host}\ndate: ${date}\nGET ${path} HTTP/1.1`).digest('base64');
      const reported = `hmac username="${name}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
      const query = new URLSearchParams({ authorization: Buffer.from(reported).toString('base64'), date, host });
      const signed = { ...request, path: `${path}?${query}` };
      if (!(body instanceof PiecedBody)) return { ...signed, body: withApplication(body, application) };
      return wholeOf(body).then((whole) => ({ ...signed, body: withApplication(whole, application) }));
    },
  };
}

function withApplication(body: Buffer | null, application: string): Buffer | null {
  const requested = body === null ? null : parseObject(body.toString('utf8'));
  if (requested === null) return body;
  const header = isObject(requested['header']) ? requested['header'] : {};
  return Buffer.from(JSON.stringify({ ...requested, header: { ...header, app_id: application } }));
}
