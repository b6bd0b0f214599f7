// Kling: `AccessKey|SecretKey` signs a token; API keys of newer accounts and of gateways are sent unchanged.
// https://app.klingai.com/global/dev/document-api/apiReference/commonInfo
// https://ai-sdk.dev/providers/ai-sdk-providers/klingai
import { createHmac } from 'node:crypto';
import { type Authorization, keyForm } from './scheme.ts';

/** Lifetime of a signed token, and leeway for clock differences; seconds. */
const [lifetime, leeway] = [1800, 5];

/** Recognizes the key of a gateway that serves Kling below a path prefix. */
export function isPlainKlingKey(key: string): boolean {
  return key.startsWith('sk-');
}

export function kling(key: string): Authorization {
  const [id = '', secret, ...more] = key.split('|').map((part) => part.trim());
  if (secret === undefined && id !== '') return { headers: { authorization: `Bearer ${id}` }, problem: null };
  if (id === '' || secret === undefined || secret === '' || more.length > 0)
    return { headers: {}, problem: keyForm({ zh: 'API key 或 AccessKey|SecretKey', en: 'of an API key or AccessKey|SecretKey' }) };
  let signed: { at: number; token: string } | undefined;
  return {
    headers: {},
    problem: null,
    sign(request, { now }) {
      // Renewed at half its life, so that no token expires in flight.
      if (signed === undefined || now - signed.at >= lifetime * 500 || now < signed.at)
        signed = { at: now, token: tokenOf(id, secret, now) };
      return { ...request, headers: { ...request.headers, authorization: `Bearer ${signed.token}` } };
    },
  };
}

function tokenOf(id: string, secret: string, now: number): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ exp: seconds + lifetime, iss: id, nbf: seconds - leeway })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
