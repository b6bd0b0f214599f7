import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isMapSetting, isSettingKey, parseMap, settingProblem } from '#shared/settings.ts';
import layout from '#pwa/ui/styles/layout.module.css';
import styles from './conflict-choice.module.css';
import { type Choice, type ConflictChoiceProps, ConflictOptions } from './conflict-options.tsx';
import { MapConflict } from './map-conflict.tsx';
import { useValueWords } from './use-value-words.ts';

/** Two people changed one setting: what it was, mine, theirs, or another value. Of maps, entry by entry. */
export function ConflictChoice(props: ConflictChoiceProps) {
  if (isMapSetting(props.settingKey)) {
    const [base, mine, theirs] = [parseMap(props.base.value), parseMap(props.mine), parseMap(props.theirs.value)];
    if (base !== null && mine !== null && theirs !== null) return <MapConflict {...props} maps={{ base, mine, theirs }} />;
  }
  return <ValueConflict {...props} />;
}

function ValueConflict({ settingKey, base, mine, theirs, mineNote, verb, isBusy = false, onChoose, onDrop }: ConflictChoiceProps) {
  const { t } = useTranslation();
  const words = useValueWords();
  const [choice, setChoice] = useState<Choice>('mine');
  const [other, setOther] = useState('');
  const problem = choice === 'other' && isSettingKey(settingKey) ? settingProblem(settingKey, other) : undefined;
  const chosen = choice === 'other' ? other.trim() : mine;
  const difference = (value: string): string => words.valueDifference(settingKey, base.value, value);
  function handleChoose(): void {
    if (problem === undefined && !isBusy) onChoose(chosen);
  }
  return (
    <div className={`${layout.stackMd} ${styles.conflict}`}>
      <ConflictOptions
        name={words.name(settingKey)}
        base={{ note: t('setting_parts.conflict.base_note'), value: words.value(settingKey, base.value) }}
        mine={{ note: mineNote, value: words.value(settingKey, mine), difference: difference(mine) }}
        theirs={{
          note: words.changeNote(theirs),
          value: words.value(settingKey, theirs.value),
          difference: difference(theirs.value),
        }}
        choice={choice}
        onChoice={setChoice}
        other={other}
        onOther={setOther}
        onOtherDone={handleChoose}
        otherError={problem === undefined || other === '' ? undefined : words.problem(problem)}
      />
      {choice === 'theirs' ? (
        <Button variant={verb === 'save' ? 'filled' : 'default'} loading={isBusy} onClick={onDrop}>
          {t('setting_parts.conflict.keep_theirs', { theirs: words.inSentence(settingKey, theirs.value) })}
        </Button>
      ) : (
        <Button variant={verb === 'save' ? 'filled' : 'default'} loading={isBusy} disabled={problem !== undefined} onClick={handleChoose}>
          {t(`setting_parts.conflict.${verb}_instead`, {
            mine: words.inSentence(settingKey, chosen),
            theirs: words.inSentence(settingKey, theirs.value),
          })}
        </Button>
      )}
    </div>
  );
}
