import type { Logger } from 'pino';
import type { ChangeFeed } from '#server/db/changes.ts';
import type { Database } from '#server/db/database.ts';
import type { Env } from '#server/env.ts';
import type { Bodies } from '#server/http/bodies.ts';
import type { Budgets } from '#server/money/budgets.ts';
import type { Ledger } from '#server/money/ledger.ts';
import type { Quotes } from '#server/money/quote.ts';
import type { Downloads } from '#server/egress/downloads.ts';
import type { Egress } from '#server/egress/egress.ts';
import type { LowBalance } from '#server/notify/low-balance.ts';
import type { Mail } from '#server/notify/mail.ts';
import type { Secrets } from '#server/secrets/secrets.ts';
import type { Settings } from '#server/settings/settings.ts';
import type { RateLimits } from '#server/rate-limits/rate-limits.ts';
import type { ChannelFigures } from '#server/exchange/channel-figures.ts';
import type { KeyFigures } from '#server/exchange/keys/key-figures.ts';
import type { ChannelIndex } from '#server/exchange/channel-index.ts';
import type { Sender } from '#server/exchange/send.ts';
import type { Telemetry } from '#server/telemetry/telemetry.ts';
import type { WorkObserver } from '#server/telemetry/work-observer.ts';

/** Everything that a handler may reach outside itself. Tests replace the clock and the random source here. */
export interface AppContext {
  readonly env: Env;
  /** Records changes of users, tokens, channels and codes in the audit log. */
  readonly db: Database;
  readonly changes: ChangeFeed;
  readonly settings: Settings;
  readonly ledger: Ledger;
  /** Rate limits of tokens, users and the site. */
  readonly rateLimits: RateLimits;
  /** All channels, in memory and current. */
  readonly channels: ChannelIndex;
  /** How channels did, by the hour. */
  readonly figures: ChannelFigures;
  /** The same of the keys of channels with several. */
  readonly keyFigures: KeyFigures;
  /** Sends to upstreams. */
  readonly sender: Sender;
  /** What calls cost. */
  readonly quotes: Quotes;
  /** Sends mails, and waits for the mail server's word. */
  readonly mail: Mail;
  /** Calls addresses that users give. */
  readonly egress: Egress;
  readonly downloads: Downloads;
  /** Budgets that calls are charged to besides their accounts. */
  readonly budgets: Budgets;
  /** Warns users whose balance runs low. */
  readonly lowBalance: LowBalance;
  readonly secrets: Secrets;
  /** What bodies of requests may cost this process. */
  readonly bodies: Bodies;
  readonly log: Logger;
  /** Metrics and traces; null if nothing exports them. */
  readonly telemetry: Telemetry | null;
  /** Sees tasks, batches, fine-tuning and realtime sessions; null if nothing exports metrics. */
  readonly workObserver: WorkObserver | null;
  /** Milliseconds since the epoch. */
  now(): number;
  /** `count` random characters of `0-9a-zA-Z`, from a cryptographic source. */
  randomText(count: number): string;
  /** A number in [0, 1), for choices such as the channel. */
  random(): number;
  /** Work that outlives its request; shutdown waits for it. Failures are logged. */
  waitUntil(work: Promise<unknown>): void;
  /** Work for shutdown: done after all that outlived its request and before the books are closed. */
  onClose(work: () => Promise<void>): void;
}
