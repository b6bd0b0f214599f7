import { AppError, type Language } from '#shared/errors.ts';
import type { AppContext } from '#server/context.ts';
import type { UserRecord } from '#server/db/records/user.ts';
import { enforceLimit } from '#server/http/rate-limit.ts';
import { composeMail } from '#server/notify/compose-mail.ts';
import { MailFailure } from '#server/notify/mail.ts';
import { mailContent, trialText } from '#server/notify/notification-texts.ts';

const limit = { count: 20, windowSeconds: 600 };

/** Sends a mail by the stored settings. The error contains the mail server's response, which an administrator needs. @throws {AppError} */
export async function sendTestMail(
  context: AppContext,
  user: UserRecord,
  { body, facts }: { body: { to?: string | undefined }; facts: { language: Language } },
): Promise<{ to: string }> {
  await enforceLimit(context, { key: `test-mail:${user.id}`, ...limit });
  const to = body.to?.trim() || user.email;
  const { language } = facts;
  const text = trialText(language);
  try {
    await context.mail.send(composeMail(context.settings, { to, subject: text.title, ...mailContent(text), language }));
  } catch (failure) {
    if (failure instanceof AppError && failure.cause instanceof MailFailure) {
      throw new AppError('mail_test_failed', { reason: failure.cause.message }, { cause: failure });
    }
    throw failure;
  }
  return { to };
}
