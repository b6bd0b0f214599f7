// Authorization schemes by the name in a provider's record.
import { ark } from './ark.ts';
import { aws } from './aws.ts';
import { baidu } from './baidu.ts';
import { bearer, type SplitKey } from './bearer.ts';
import { codex } from './codex.ts';
import { google } from './google.ts';
import { header } from './header.ts';
import { kling } from './kling.ts';
import { query } from './query.ts';
import type { Authorization } from './scheme.ts';
import { sparkSocket } from './spark-socket.ts';
import { spark } from './spark.ts';
import { tencent } from './tencent.ts';
import { volc } from './volc.ts';
import { zhipuJwt } from './zhipu-jwt.ts';

/** Authorization of a provider's record. */
export type Auth =
  | { kind: 'bearer'; split?: SplitKey }
  /** Header name in lower case, and the prefix of its value. */
  | { kind: 'header'; name: string; prefix?: string }
  /** Parameter name. */
  | { kind: 'query'; name: string }
  /** API key, or a JSON file of credentials. */
  | { kind: 'google' }
  /** API key, or two-part speech credentials. */
  | { kind: 'ark' }
  /** Access key that signs for the service, or an API key. */
  | { kind: 'aws'; service: string }
  | { kind: 'zhipu-jwt' }
  /** Stored tokens of a ChatGPT sign-in. */
  | { kind: 'codex' }
  /** Password, or three-part credentials. */
  | { kind: 'spark' }
  /** Same three-part credentials; the secret signs the socket's URL. */
  | { kind: 'spark-socket' }
  /** Secret that signs for the service. */
  | { kind: 'tencent'; service: string }
  /** API key and secret, exchanged for a token. */
  | { kind: 'baidu' }
  /** Key and secret, or a gateway's key. */
  | { kind: 'kling' }
  /** Key and secret, which signs for the service. */
  | { kind: 'volc'; region: string; service: string };

/** @param base the channel's base URL */
export function authorizationOf(auth: Auth, key: string, base: string): Authorization {
  switch (auth.kind) {
    case 'bearer':
      return bearer(key, auth.split);
    case 'header':
      return header(key, auth.name, auth.prefix);
    case 'query':
      return query(key, auth.name);
    case 'google':
      return google(key, base);
    case 'ark':
      return ark(key);
    case 'aws':
      return aws(key, auth.service);
    case 'zhipu-jwt':
      return zhipuJwt(key);
    case 'codex':
      return codex(key);
    case 'spark':
      return spark(key);
    case 'spark-socket':
      return sparkSocket(key);
    case 'tencent':
      return tencent(key, auth.service);
    case 'baidu':
      return baidu(key, base);
    case 'kling':
      return kling(key);
    case 'volc':
      return volc(key, auth);
  }
}
