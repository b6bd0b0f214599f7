// Every scheme by the name that a provider's record has for it.
import { ark } from './ark.ts';
import { aws } from './aws.ts';
import { baidu } from './baidu.ts';
import { bearer } from './bearer.ts';
import type { SplitKey } from './bearer.ts';
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

/** What a provider's record says about its keys. */
export type Auth =
  | { kind: 'bearer'; split?: SplitKey }
  /** The header's name, in lower case, and what stands before the key there. */
  | { kind: 'header'; name: string; prefix?: string }
  /** The parameter's name. */
  | { kind: 'query'; name: string }
  /** An API key, or a file of credentials. */
  | { kind: 'google' }
  /** An API key, or the two parts of one for speech. */
  | { kind: 'ark' }
  /** An access key, which signs for that service, or an API key. */
  | { kind: 'aws'; service: string }
  | { kind: 'zhipu-jwt' }
  /** What is kept of a sign-in to an account. */
  | { kind: 'codex' }
  /** A password, or the three parts that its vendor gives out. */
  | { kind: 'spark' }
  /** The same three parts: a secret, which signs the address of a socket. */
  | { kind: 'spark-socket' }
  /** A secret, which signs for that service. */
  | { kind: 'tencent'; service: string }
  /** An API key and its secret, for a token. */
  | { kind: 'baidu' }
  /** A key and its secret, or a gateway's key. */
  | { kind: 'kling' }
  /** A key and its secret, which signs for that service. */
  | { kind: 'volc'; region: string; service: string };

/** @param base the channel's address */
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
