// What the figures of a channel mean.
import { z } from 'zod/mini';
import { channelType } from '#shared/channel-types.ts';
import { ChannelStatus, type Channel } from '#shared/channels.ts';
import { commaList } from '#shared/comma-list.ts';
import { onlyTakesOrders } from '#pwa/api/chat-models.ts';
import { isFree } from '#pwa/records/managed-record.ts';

const Info = z.looseObject({
  status_reason: z.catch(z.string(), ''),
  status_time: z.catch(z.number(), 0),
  status_by: z.catch(z.string(), ''),
});

export interface StatusInfo {
  reason: string;
  /** Unix seconds; 0: unknown. */
  at: number;
  /** Who disabled it by hand; '' : unknown, or the system. */
  by: string;
}

/** Why and when a channel got its status, from `other_info`. */
export function statusInfo({ other_info }: Pick<Channel, 'other_info'>): StatusInfo {
  try {
    const info = Info.parse(JSON.parse(other_info === '' ? '{}' : other_info));
    return { reason: info.status_reason, at: info.status_time, by: info.status_by };
  } catch {
    return { reason: '', at: 0, by: '' };
  }
}

export type StatusName = 'on' | 'off' | 'auto';

export function statusName(status: number): StatusName {
  if (status === ChannelStatus.enabled) return 'on';
  return status === ChannelStatus.disabledBySystem ? 'auto' : 'off';
}

export type ResponseTier = 'untested' | 'fast' | 'fair' | 'slow' | 'very_slow';

/** Of the last test, in milliseconds: 1, 3 and 5 seconds are the borders. */
function responseTier(milliseconds: number): ResponseTier {
  if (milliseconds === 0) return 'untested';
  if (milliseconds <= 1000) return 'fast';
  if (milliseconds <= 3000) return 'fair';
  return milliseconds <= 5000 ? 'slow' : 'very_slow';
}

/** Not: it only takes orders, each of which costs and takes minutes. */
export function isTested({ type, models }: Pick<Channel, 'type' | 'models'>): boolean {
  return channelType(type)?.isUntested !== true && !onlyTakesOrders(commaList(models));
}

export type TestResult = { state: 'running' } | { state: 'ok'; seconds: number } | { state: 'failed'; message: string };

export type TestState =
  | { state: 'untested' }
  | { state: 'running' }
  | { state: 'failed'; message: string }
  | { state: 'ok'; milliseconds: number; tier: Exclude<ResponseTier, 'untested'> };

/**
 * How the last test went: the one just made here, else what the channel's record knows. A test that failed has no speed,
 * however fast it did.
 */
export function testState(channel: Pick<Channel, 'response_time' | 'test_error'>, result: TestResult | undefined): TestState {
  if (result?.state === 'running') return { state: 'running' };
  const message = result?.state === 'failed' ? result.message : result?.state === 'ok' ? '' : channel.test_error;
  if (message !== '') return { state: 'failed', message };
  const milliseconds = result?.state === 'ok' ? Math.round(result.seconds * 1000) : channel.response_time;
  const tier = responseTier(milliseconds);
  return tier === 'untested' ? { state: 'untested' } : { state: 'ok', milliseconds, tier };
}

/** A priority or weight as typed; null when it is not one. */
export function parsePriority(text: string): number | null {
  return parseWhole(text, -999);
}
export function parseWeight(text: string): number | null {
  return parseWhole(text, 0);
}

const largest = 1_000_000;

function parseWhole(text: string, smallest: number): number | null {
  // As it is shown: with a true minus, and thousands apart.
  const plain = text.trim().replace('\u2212', '-').replaceAll(',', '');
  if (!/^-?\d{1,9}$/.test(plain)) return null;
  const value = Number(plain);
  return value >= smallest && value <= largest ? value : null;
}

/** Reports whether the channel can be enabled or disabled here. A file that decides its status leaves what the system disabled. */
export function isSwitchable(channel: Pick<Channel, 'status' | 'managed_by' | 'managed_left'>): boolean {
  return isFree(channel, 'status') || channel.status === ChannelStatus.disabledBySystem;
}
