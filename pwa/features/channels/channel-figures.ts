// How channels did in the last 24 hours, as the list and the panel show it.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type ChannelFigures, type ChannelFigureSheet, figureHours } from '#shared/channels.ts';
import { channelFiguresQuery } from './queries.ts';

export interface FiguresView {
  /** Undefined: not known yet, or not on this device; null: the channel has had no call. */
  of: (id: number) => ChannelFigures | null | undefined;
  /** When the first hour began, unix seconds. */
  since: number;
  /** Milliseconds; 0: not known yet. */
  at: number;
  isStale: boolean;
}

/** Figures younger than this are not requested again together with the list. */
const freshMs = 15_000;

/** @param listAt when the list was read, in milliseconds: the figures must be as recent */
export function useChannelFigures(listAt: number): FiguresView {
  const query = useQuery(channelFiguresQuery);
  const { data, dataUpdatedAt, refetch } = query;
  useEffect(() => {
    if (dataUpdatedAt !== 0 && listAt > dataUpdatedAt + freshMs) void refetch({ cancelRefetch: false });
    // Only a younger list is a reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [listAt]);
  const isStale = query.error !== null || query.fetchStatus === 'paused';
  // Stable while the figures are the same: rows that show them are redrawn only after a change.
  return useMemo(() => figuresView({ data, at: dataUpdatedAt, isStale }), [data, dataUpdatedAt, isStale]);
}

interface FiguresState {
  data: ChannelFigureSheet | undefined;
  at: number;
  isStale: boolean;
}

function figuresView({ data, at, isStale }: FiguresState): FiguresView {
  const byId = new Map(data?.channels.map((figures) => [figures.id, figures]));
  return {
    of: (id) => (data === undefined ? undefined : (byId.get(id) ?? null)),
    since: data?.since ?? 0,
    at,
    isStale,
  };
}

/** Below this share of calls that went well, a channel wants to be looked at. */
const lowShare = 0.9;

/** The share of calls that went well, never rounded up to all of them; null without calls. */
export function okShare({ calls, failures }: Pick<ChannelFigures, 'calls' | 'failures'>): number | null {
  if (calls === 0) return null;
  return Math.floor(((calls - failures) / calls) * 1000) / 1000;
}

/** Whether any prompt came from the provider's cache. */
export function hasCached(figures: Parameters<typeof cachedShare>[0] | null | undefined): boolean {
  return figures != null && (cachedShare(figures) ?? 0) > 0;
}

export function isLow(figures: Pick<ChannelFigures, 'calls' | 'failures'> | null | undefined): boolean {
  return (okShare(figures ?? { calls: 0, failures: 0 }) ?? 1) < lowShare;
}

/** The share of prompts that came from the provider's cache, never rounded up to all of them; null where none is known. */
export function cachedShare({ prompt_tokens: prompt, cached_tokens: cached }: Pick<ChannelFigures, 'prompt_tokens' | 'cached_tokens'>) {
  return prompt === 0 ? null : Math.floor((cached / prompt) * 1000) / 1000;
}

/** Of several channels together. Their medians have no sum. */
export function sumFigures(all: readonly (ChannelFigures | null | undefined)[]): ChannelFigures {
  const hours = Array.from({ length: figureHours }, (): [number, number] => [0, 0]);
  let [calls, failures, prompt_tokens, cached_tokens] = [0, 0, 0, 0];
  for (const figures of all) {
    calls += figures?.calls ?? 0;
    failures += figures?.failures ?? 0;
    prompt_tokens += figures?.prompt_tokens ?? 0;
    cached_tokens += figures?.cached_tokens ?? 0;
    for (const [at, hour] of hours.entries()) {
      hour[0] += figures?.hours[at]?.[0] ?? 0;
      hour[1] += figures?.hours[at]?.[1] ?? 0;
    }
  }
  return { id: 0, calls, failures, first_byte_ms: null, hours, prompt_tokens, cached_tokens };
}

/** The last hour in which a call failed, counted from the first; -1: none did. */
export function lastFailure({ hours }: Pick<ChannelFigures, 'hours'>): number {
  return hours.findLastIndex(([, failures]) => failures > 0);
}

export interface StripBar {
  /** Heights of what went well above the line and of what failed below it, in pixels. */
  above: number;
  below: number;
}

const tallest = { above: 12, below: 8 };
/** However few of many they are, they are seen. */
const shortest = 2;

/** One bar per hour, all on one scale. */
export function stripBars(hours: ChannelFigures['hours'] | undefined): StripBar[] {
  const counts = Array.from({ length: figureHours }, (_, at) => {
    const [calls, failures] = hours?.[at] ?? [0, 0];
    return { well: Math.max(0, calls - failures), failures };
  });
  const perPixel = Math.max(
    ...counts.map(({ well }) => well / tallest.above),
    ...counts.map(({ failures }) => failures / tallest.below),
    Number.MIN_VALUE,
  );
  const height = (count: number): number => (count === 0 ? 0 : Math.max(shortest, Math.round(count / perPixel)));
  return counts.map(({ well, failures }) => ({ above: height(well), below: height(failures) }));
}
