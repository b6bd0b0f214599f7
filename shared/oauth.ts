// Sign-in through other providers: at GitHub and its like by a redirect, with WeChat by a code, with Telegram by signed fields.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';
import { User } from '#shared/user.ts';

/** Providers that send the browser back with an answer. */
export const RedirectProvider = z.enum(['github', 'oidc', 'linuxdo', 'telegram']);
export type RedirectProvider = z.infer<typeof RedirectProvider>;

/** Everything that an account can be bound to. */
export const Binding = z.enum(['github', 'oidc', 'linuxdo', 'wechat', 'telegram', 'email']);
export type Binding = z.infer<typeof Binding>;

/** Which field of a user names the identity that is bound. */
export const bindingFields = {
  github: 'github_id',
  oidc: 'oidc_id',
  linuxdo: 'linux_do_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
  email: 'email',
} as const satisfies Record<Binding, keyof User>;

const CallbackQuery = z.object({
  code: QueryText,
  state: QueryText,
  /** RFC 9207: who answers. */
  iss: QueryText,
  error: QueryText,
  error_description: QueryText,
});
export type CallbackQuery = z.infer<typeof CallbackQuery>;

const WeChatQuery = z.object({ code: QueryText, aff: QueryText });

/** As it was signed. */
const SignedText = z.optional(z.string().check(z.maxLength(1000)));
/** What Telegram signs, as its widget hands it over, and the attempt that it belongs to where there is one. */
export const TelegramQuery = z.object({
  id: SignedText,
  first_name: SignedText,
  last_name: SignedText,
  username: SignedText,
  photo_url: SignedText,
  auth_date: SignedText,
  hash: SignedText,
  state: QueryText,
});
export type TelegramQuery = z.infer<typeof TelegramQuery>;

/** A sign-in answers who has signed in; a binding has no data, and the message `bind`. */
const SignedIn = z.optional(User);

function callback(provider: 'github' | 'oidc' | 'linuxdo', name: string) {
  return endpoint('GET', `/api/oauth/${provider}`, {
    access: 'optional',
    audit: { exempt: 'own_session' },
    query: CallbackQuery,
    reply: SignedIn,
    changesState: true,
    summary: `Sign in, or bind the own account, with what ${name} answered`,
  });
}

export const oauthApi = {
  /** Old clients make the provider's address themselves. */
  state: endpoint('GET', '/api/oauth/state', {
    access: 'optional',
    audit: { exempt: 'own_session' },
    query: z.object({ aff: QueryText }),
    reply: z.string(),
    changesState: true,
    summary: 'Begin a sign-in: a state for the address of a provider',
  }),
  start: endpoint('POST', '/api/oauth/start', {
    access: 'optional',
    audit: { exempt: 'own_session' },
    body: z.object({ provider: RedirectProvider, aff: z.optional(z.string().check(z.maxLength(64))) }),
    reply: z.object({ url: z.string() }),
    summary: 'Begin a sign-in: the address of the provider',
  }),
  github: callback('github', 'GitHub'),
  oidc: callback('oidc', 'the OpenID provider'),
  linuxdo: callback('linuxdo', 'Linux DO'),
  wechat: endpoint('GET', '/api/oauth/wechat', {
    access: 'public',
    audit: { exempt: 'own_session' },
    query: WeChatQuery,
    reply: User,
    changesState: true,
    summary: 'Sign in with a code from WeChat',
  }),
  bindWeChat: endpoint('GET', '/api/oauth/wechat/bind', {
    access: 'user',
    audit: { kind: 'user', action: 'binding_changed' },
    query: WeChatQuery,
    changesState: true,
    summary: 'Bind the own account to WeChat',
  }),
  telegram: endpoint('GET', '/api/oauth/telegram/login', {
    access: 'public',
    audit: { exempt: 'own_session' },
    query: TelegramQuery,
    reply: User,
    changesState: true,
    summary: 'Sign in with what Telegram signed',
  }),
  bindTelegram: endpoint('GET', '/api/oauth/telegram/bind', {
    access: 'user',
    audit: { kind: 'user', action: 'binding_changed' },
    query: TelegramQuery,
    changesState: true,
    summary: 'Bind the own account to Telegram',
  }),
  /** Answers the account as it is afterwards. */
  unbind: endpoint('DELETE', '/api/oauth/:binding/bind', {
    access: 'user',
    audit: { kind: 'user', action: 'binding_changed' },
    params: z.object({ binding: Binding }),
    reply: User,
    summary: 'Remove a binding of the own account',
  }),
};
