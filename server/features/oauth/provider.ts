// A provider that sends the browser back with a code: where to send the browser, and who it says that somebody is.
import type { ErrorCode } from '#shared/errors.ts';
import type { CallbackQuery } from '#shared/oauth.ts';
import type { Identity } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { Attempt } from './attempt.ts';

/** Somebody as a provider knows them, with what a new account begins with. */
export interface Person extends Identity {
  /** Of the account at the provider; taken when nobody has it here. */
  username: string;
  displayName: string;
  /** Only one that the provider has verified; else empty. */
  email: string;
}

/** What goes into the provider's address. */
export interface Authorization {
  state: string;
  attempt: Attempt;
}

export interface CodeProvider {
  name: 'github' | 'oidc' | 'linuxdo';
  /** What is said where it is switched off. */
  disabled: ErrorCode;
  /** What is said of an answer without a code. */
  codeMissing: ErrorCode;
  /** The code of RFC 7636 is sent along. */
  hasPkce: boolean;
  /** @throws {AppError} when the provider cannot be asked where that is */
  authorizationUrl(context: AppContext, authorization: Authorization): Promise<URL>;
  /** @throws {AppError} when the code is refused, or what comes says nothing of a person */
  identify(context: AppContext, answer: CallbackQuery & { code: string }, attempt: Attempt): Promise<Person>;
}
