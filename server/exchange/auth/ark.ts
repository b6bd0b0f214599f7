// API key of Volcano Ark, or the two-part credentials of its speech service.
// https://www.volcengine.com/docs/6561/1598757
import { bearer } from './bearer.ts';
import { type Authorization, keyForm } from './scheme.ts';

/** Returns null if the key does not have two parts. */
export function speechKeyIn(key: string): { app: string; token: string } | null {
  const [app = '', token = '', ...more] = key.split('|').map((part) => part.trim());
  return app === '' || token === '' || more.length > 0 ? null : { app, token };
}

export function ark(key: string): Authorization {
  const parts = speechKeyIn(key);
  if (parts === null && key.includes('|'))
    return { headers: {}, problem: keyForm({ zh: 'API key 或 AppId|AccessToken', en: 'of an API key or AppId|AccessToken' }) };
  if (parts === null) return bearer(key.trim());
  return { headers: { 'x-api-app-id': parts.app, 'x-api-access-key': parts.token }, problem: null };
}
