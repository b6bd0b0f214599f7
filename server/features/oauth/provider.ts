// Provider that sends the browser back with a code: its authorization address, and the identity that it returns.
import type { ErrorCode } from '#shared/errors.ts';
import type { CallbackQuery } from '#shared/oauth.ts';
import type { Identity } from '#server/accounts/identities.ts';
import type { AppContext } from '#server/context.ts';
import type { Attempt } from './attempt.ts';

/** Identity at a provider, with the initial data of a new account. */
export interface Person extends Identity {
  /** User name at the provider; used if it is free here. */
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
  /** @throws {AppError} when the provider's address cannot be discovered */
  authorizationUrl(context: AppContext, authorization: Authorization): Promise<URL>;
  /** @throws {AppError} when the code is refused, or what comes says nothing of a person */
  identify(context: AppContext, answer: CallbackQuery & { code: string }, attempt: Attempt): Promise<Person>;
}
