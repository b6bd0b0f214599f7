// Mails that show whose an e-mail address is, and that open an account whose password is lost.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { QueryText } from '#shared/query-values.ts';

const AddressQuery = z.object({ email: QueryText, turnstile: QueryText });

/** Seconds between two mails to one address. */
export const resendSeconds = 30;

export const verificationApi = {
  /** To register or, with a session, to bind the address. */
  sendCode: endpoint('GET', '/api/verification', {
    access: 'optional',
    audit: { exempt: 'mails' },
    query: AddressQuery,
    changesState: true,
    summary: 'Send a verification code to an e-mail address',
  }),
  bindEmail: endpoint('GET', '/api/oauth/email/bind', {
    access: 'user',
    audit: { kind: 'user', action: 'binding_changed' },
    query: z.object({ email: QueryText, code: QueryText }),
    changesState: true,
    summary: 'Bind an e-mail address to the own account',
  }),
  /** Says the same whether there is such an account or not. */
  requestReset: endpoint('GET', '/api/reset_password', {
    access: 'public',
    audit: { exempt: 'mails' },
    query: AddressQuery,
    changesState: true,
    summary: 'Send a link that resets the password',
  }),
  /** Answers the new password. */
  reset: endpoint('POST', '/api/user/reset', {
    access: 'public',
    audit: { kind: 'user', action: 'password_changed' },
    body: z.object({ email: z.string().check(z.maxLength(200)), token: z.string().check(z.maxLength(200)) }),
    reply: z.string(),
    summary: 'Reset the password with the link of a mail',
  }),
};
