import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usableGroupsQuery } from '#pwa/api/groups.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import type { Answer } from '#pwa/offline/conversation.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { Glyph } from '#pwa/ui/controls/glyph.tsx';
import { useStore } from '#pwa/ui/store.ts';
import { playground } from './conversations-state.ts';
import styles from './answer.module.css';
import { offeredModelsQuery } from './queries.ts';
import { roughCost, roughQuestion, roughTokens } from './rough-cost.ts';

/** Of an answer that is being written: for how long, how many tokens, and about what it costs so far. */
export function RunningFacts({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { now, tokens } = useTicks(answer);
  const rough = useRoughCost(answer, tokens);
  const quota = answer.quota ?? rough;
  return (
    <>
      <span className={styles.running}>
        <Glyph name="live" />
        {t(answer.kind === undefined ? 'playground.answer.running' : 'playground.answer.making', {
          time: format.duration(Math.max(0, now - answer.startedAt)),
        })}
      </span>
      {tokens > 0 && <span>{t('playground.answer.tokens', { count: tokens })}</span>}
      {quota !== undefined && (
        <span>{`${answer.quota === undefined ? '≈ ' : ''}${format.charge(quota)} ${format.unit || t('common.quota.name')}`}</span>
      )}
    </>
  );
}

/** Counts twice per second: pieces arrive more often, and figures that change faster cannot be read. */
function useTicks(answer: Answer): { now: number; tokens: number } {
  const latest = useRef(answer);
  const [tick, setTick] = useState(() => tickOf(answer));
  useEffect(() => {
    latest.current = answer;
  }, [answer]);
  useEffect(() => {
    const timer = setInterval(() => setTick(tickOf(latest.current)), 500);
    return () => clearInterval(timer);
  }, []);
  return tick;
}

function tickOf({ text, reasoning, completionTokens }: Answer): { now: number; tokens: number } {
  return { now: Date.now(), tokens: completionTokens ?? roughTokens(reasoning) + roughTokens(text) };
}

function useRoughCost(answer: Answer, completionTokens: number): number | undefined {
  const { quotaPerUnit } = useFormat();
  const user = useStoredUser();
  const { open } = useStore(playground);
  const { data: models } = useQuery(offeredModelsQuery(user?.id ?? 0));
  const { data: groups } = useQuery(usableGroupsQuery);
  // The question is fixed while the answer arrives.
  const [question] = useState(() => roughQuestion(open, answer));
  return roughCost({
    offered: models?.find(({ name }) => name === answer.model),
    groupRatio: groups?.[open.settings.group || (user?.group ?? '')]?.ratio,
    quotaPerUnit,
    promptTokens: answer.promptTokens ?? question,
    completionTokens,
  });
}
