// Zhipu: a key `id.secret` signs a token sent without `Bearer`; its times are milliseconds. https://docs.bigmodel.cn
import { createHmac } from 'node:crypto';
import { type Authorization, keyForm } from './scheme.ts';

const tokenLifetime = 24 * 3600_000;

export function zhipuJwt(key: string): Authorization {
  let signed: { at: number; token: string } | undefined;
  return {
    headers: {},
    problem: /^[^.]+\.[^.]+$/.test(key) ? null : keyForm('id.secret'),
    sign(request, { now }) {
      // Renewed at half its life, so that no token expires in flight.
      if (signed === undefined || now - signed.at >= tokenLifetime / 2 || now < signed.at) signed = { at: now, token: tokenOf(key, now) };
      return { ...request, headers: { ...request.headers, authorization: signed.token } };
    },
  };
}

function tokenOf(key: string, now: number): string {
  const [id = '', secret = ''] = key.split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', sign_type: 'SIGN', typ: 'JWT' })}.${part({ api_key: id, exp: now + tokenLifetime, timestamp: now })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
