// Baidu's first platform: exchanges an API key and its secret for a token of thirty days, sent in the URL.
// https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5
import { type Authorization, keyForm } from './scheme.ts';
import { tokenSigner } from './token-signer.ts';

/** @param base the channel's base URL, which also issues tokens */
export function baidu(key: string, base: string): Authorization {
  const [id = '', secret = '', ...more] = key.split('|').map((part) => part.trim());
  const address = URL.parse(base.replaceAll('{model}', ''));
  if (id === '' || secret === '' || more.length > 0) return { headers: {}, problem: keyForm('APIKey|SecretKey') };
  // An invalid base URL is reported as a problem of the channel.
  if (address === null) return { headers: {}, problem: null };
  const question = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const tokens = new URL(`/oauth/2.0/token?${question.toString()}`, address);
  return {
    headers: {},
    problem: null,
    sign: tokenSigner({
      text: key,
      address: tokens,
      requestAt: () => ({ headers: { 'content-type': 'application/json' }, body: null }),
      carry: (request, token) => ({
        ...request,
        path: `${request.path}${request.path.includes('?') ? '&' : '?'}access_token=${encodeURIComponent(token)}`,
      }),
    }),
  };
}
