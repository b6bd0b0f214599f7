// Accounts by invitation: a list that an administrator pastes, and a link for each with which a person sets a password.
import { z } from 'zod/mini';
import { endpoint } from '#shared/contract.ts';
import { PageQuery, pageOf } from '#shared/paging.ts';
import { QuotaInput, User } from '#shared/user.ts';

/** Lines of one list. */
export const invitationListLimit = 1000;
/** Invitations that are open at the same time. */
export const openInvitationLimit = 10_000;
/** Mails with invitations that leave within a minute. */
export const invitationMailsPerMinute = 60;
/** How long a link is valid at most, in seconds. */
export const longestInvitation = 90 * 86_400;

const Line = z.object({
  username: z.string().check(z.maxLength(200)),
  /** Empty: none. */
  email: z.string().check(z.maxLength(254)),
  /** Empty: the usual group. */
  group: z.string().check(z.maxLength(64)),
  /** What the account has from the start, besides the bonus of every new user. */
  quota: QuotaInput,
});
export type InvitationLine = z.infer<typeof Line>;

const Lines = z.array(Line).check(z.minLength(1), z.maxLength(invitationListLimit));

/** Why a line is not taken. `same`: that invitation is open already, so the line adds nothing. */
export const LineProblem = z.enum([
  'same',
  'name_required',
  'name_long',
  'name_address',
  'name_characters',
  'name_taken',
  'name_invited',
  'name_twice',
  'mail_required',
  'mail_invalid',
  'mail_refused',
  'mailbox_taken',
  'mailbox_invited',
  'mailbox_twice',
  'group_unknown',
  'full',
]);
export type LineProblem = z.infer<typeof LineProblem>;

/** `mail`: a mail leaves for each; `link`: the links are in the reply, and nowhere else. */
export const Delivery = z.enum(['mail', 'link']);
export type Delivery = z.infer<typeof Delivery>;

const ValidSeconds = z.int().check(z.minimum(600), z.maximum(longestInvitation));

export const InvitationState = z.enum(['open', 'expired', 'accepted', 'withdrawn']);
export type InvitationState = z.infer<typeof InvitationState>;

export const Invitation = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  group: z.string(),
  quota: z.int(),
  state: z.string(),
  /** 0: there is no account yet. */
  user_id: z.int(),
  /** Unix seconds. */
  created_at: z.int(),
  expires_at: z.int(),
  /** `none`: the link was shown. */
  mail: z.enum(['none', 'due', 'sent', 'failed']),
});
export type Invitation = z.infer<typeof Invitation>;

const IdParam = z.object({ id: z.string().check(z.regex(/^\d{1,15}$/)) });
const Token = z.string().check(z.maxLength(100));

export const invitationApi = {
  /** Newest first. */
  list: endpoint('GET', '/api/invitation/', { access: 'admin', query: PageQuery, reply: pageOf(Invitation), summary: 'List invitations' }),
  /** What is wrong with each line, by its index; lines without a problem are absent. */
  check: endpoint('POST', '/api/invitation/check', {
    access: 'admin',
    audit: { exempt: 'reads' },
    body: z.object({ lines: Lines, delivery: Delivery }),
    reply: z.object({
      problems: z.array(z.object({ line: z.int(), problem: LineProblem })),
      /** Mails can be sent, and links in them lead somewhere. */
      can_mail: z.boolean(),
    }),
    summary: 'Check a list of people to invite',
  }),
  /** Invites whom it can: lines with a problem are left out and reported. The same list sent again adds nothing. */
  create: endpoint('POST', '/api/invitation/', {
    access: 'admin',
    audit: { kind: 'invitation', action: 'created', by: 'call' },
    body: z.object({
      lines: Lines,
      delivery: Delivery,
      valid_seconds: ValidSeconds,
      /** The accounts are made at once, without a password; otherwise when their links are followed. */
      creates_accounts: z.boolean(),
    }),
    reply: z.object({
      /** `token`: the end of the link, where links are shown. */
      made: z.array(z.object({ line: z.int(), id: z.int(), username: z.string(), token: z.optional(z.string()) })),
      problems: z.array(z.object({ line: z.int(), problem: LineProblem })),
    }),
    summary: 'Invite people by mail or by links',
  }),
  /** A new link, valid for so long from now on; the one before ends. */
  send: endpoint('POST', '/api/invitation/:id/send', {
    access: 'admin',
    audit: { kind: 'invitation', action: 'sent', by: 'call', object: 'id' },
    params: IdParam,
    body: z.object({ delivery: Delivery, valid_seconds: ValidSeconds }),
    reply: z.object({ invitation: Invitation, token: z.optional(z.string()) }),
    summary: 'Send an invitation again',
  }),
  /** An account that is there already stays. */
  withdraw: endpoint('DELETE', '/api/invitation/:id', {
    access: 'admin',
    audit: { kind: 'invitation', action: 'withdrawn', by: 'call', object: 'id' },
    params: IdParam,
    reply: Invitation,
    summary: 'Withdraw an invitation',
  }),
  open: endpoint('POST', '/api/invitation/open', {
    access: 'public',
    audit: { exempt: 'reads' },
    body: z.object({ token: Token }),
    reply: z.object({ username: z.string(), quota: z.int(), expires_at: z.int() }),
    summary: 'Read the invitation of a link',
  }),
  accept: endpoint('POST', '/api/invitation/accept', {
    access: 'public',
    audit: { kind: 'user', action: 'created' },
    body: z.object({
      token: Token,
      password: z.string().check(z.maxLength(200)),
      /** Another name, where that of the invitation is taken by now. */
      username: z.optional(z.string().check(z.maxLength(200))),
    }),
    /** Absent: the account is there, and signs in another way. */
    reply: z.optional(User),
    summary: 'Follow an invitation: sets the password and signs in',
  }),
};
