// Sends mails by the SMTP server of the settings. The sender waits for the server's response: mails that may be late go through the outbox of
// notices.
import { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { Logger } from 'pino';
import { z } from 'zod';
import { AppError, type Language } from '#shared/errors.ts';
import { createFairQueue, QueueFull } from '#server/queues/fair-queue.ts';
import { letterOf } from '#server/notify/letter.ts';
import type { Settings } from '#server/settings/settings.ts';

export interface MailMessage {
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  /** The body's content: the site's name and logo are set above it. */
  html: string;
  language?: Language;
}

export interface Mail {
  /** An SMTP server is named. */
  readonly isConfigured: boolean;
  /**
   * Resolves when the server has taken the mail over, which is no promise that it arrives.
   * @throws {AppError} `mail_unconfigured`, `mail_sender_invalid`, `mail_address_invalid`, `rate_limited`; or `mail_failed`, whose
   * cause is a {@link MailFailure}
   */
  send(message: MailMessage): Promise<void>;
}

/** Why the server did not take a mail. The reason quotes the server: it is for those who set the server up. */
export class MailFailure extends Error {
  /** The same mail would be refused again. */
  readonly isFinal: boolean;
  constructor(reason: string, isFinal: boolean, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'MailFailure';
    this.isFinal = isFinal;
  }
}

export interface MailParts {
  settings: Settings;
  log: Pick<Logger, 'warn'>;
  /** What tests shorten. */
  deadlineMs?: number;
}

/** From the look-up of the server's name to its last word. */
const deadline = 30_000;
const stepMs = 15_000;
/** Connections of this process to the mail server. */
const queueLimits = { atOnce: 4, places: 200, placesPerSource: 10 };
const retryAfter = 10;
const longestSubject = 200;
const longestReason = 500;

const address = z.email().max(254);

export function createMail({ settings, log, deadlineMs = deadline }: MailParts): Mail {
  const queue = createFairQueue(queueLimits);

  async function send(message: MailMessage): Promise<void> {
    if (settings.get('SMTPServer') === '') throw new AppError('mail_unconfigured');
    const from = settings.get('SMTPFrom') || settings.get('SMTPAccount');
    if (!address.safeParse(from).success) throw new AppError('mail_sender_invalid');
    if (!address.safeParse(message.to).success) throw new AppError('mail_address_invalid');
    try {
      await queue.run(message.to, () => deliver(message, from));
    } catch (failure) {
      if (failure instanceof QueueFull) throw new AppError('rate_limited', {}, { cause: failure, retryAfter });
      const cause = toMailFailure(failure);
      log.warn({ reason: cause.message }, 'a mail could not be sent');
      throw new AppError('mail_failed', {}, { cause });
    }
  }

  async function deliver({ to, subject, text, html, language }: MailMessage, from: string): Promise<void> {
    const socket = new Socket();
    const late = setTimeout(
      () => socket.destroy(new Error(`The mail server did not answer within ${Math.round(deadlineMs / 1000)} s`)),
      deadlineMs,
    );
    try {
      await createTransport({ ...connectionOf(settings), socket }).sendMail({
        // Addresses as objects and an envelope of their own: no text is parsed for further receivers.
        from: { name: settings.get('SystemName'), address: from },
        to: { name: '', address: to },
        envelope: { from, to },
        subject: oneLine(subject).slice(0, longestSubject),
        text,
        ...letterOf(settings, html, language),
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    } finally {
      clearTimeout(late);
      socket.destroy();
    }
  }

  return {
    get isConfigured() {
      return settings.get('SMTPServer') !== '';
    },
    send,
  };
}

/**
 * Port 465 and the switch mean TLS from the start; otherwise STARTTLS where it is offered. A password goes over TLS only,
 * unless the server is this machine. Certificates are verified.
 */
function connectionOf(settings: Settings) {
  const host = settings.get('SMTPServer');
  const port = settings.get('SMTPPort');
  const user = settings.get('SMTPAccount');
  const pass = settings.get('SMTPToken');
  const hasPassword = user !== '' && pass !== '';
  const isSecure = port === 465 || settings.get('SMTPSSLEnabled');
  return {
    host,
    port,
    secure: isSecure,
    requireTLS: !isSecure && hasPassword && !isThisMachine(host),
    ...(hasPassword ? { auth: { user, pass } } : {}),
    ...(wantsLogin(host, user) ? { authMethod: 'LOGIN' } : {}),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    maxResponseSize: 64 * 1024,
  };
}

function isThisMachine(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1'].includes(host.toLowerCase());
}

/** Their servers announce ways to sign in that they then refuse. */
function wantsLogin(host: string, account: string): boolean {
  return account.includes('outlook') || account.includes('onmicrosoft') || host === 'smtp.azurecomm.net';
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

function toMailFailure(failure: unknown): MailFailure {
  const reason = oneLine(failure instanceof Error ? failure.message : String(failure)).slice(0, longestReason);
  const status = failure instanceof Error && 'responseCode' in failure ? failure.responseCode : undefined;
  const command = failure instanceof Error && 'command' in failure ? String(failure.command) : '';
  // 5xx to a recipient or to the text concerns this mail; to a sign-in it concerns the server, whose settings may be corrected.
  const isFinal = typeof status === 'number' && status >= 500 && !command.startsWith('AUTH');
  return new MailFailure(reason, isFinal, { cause: failure });
}
