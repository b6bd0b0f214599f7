// iFlytek Spark over HTTP: the application's password, or its key and secret, joined.
// https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html
import { type Authorization, keyForm } from './scheme.ts';

/** @param key `APPID|APISecret|APIKey`, as for the vendor's sockets, or an APIPassword */
export function spark(key: string): Authorization {
  const [id = '', secret, name, ...more] = key.split('|').map((part) => part.trim());
  if (secret === undefined) return { headers: { authorization: `Bearer ${id}` }, problem: null };
  if (id === '' || secret === '' || name === undefined || name === '' || more.length > 0) {
    return {
      headers: {},
      problem: keyForm({ zh: 'APPID|APISecret|APIKey 或 APIPassword', en: 'APPID|APISecret|APIKey or of an APIPassword' }),
    };
  }
  return { headers: { authorization: `Bearer ${name}:${secret}` }, problem: null };
}
