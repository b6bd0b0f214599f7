import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isSettingKey, settingProblem, settings } from '#shared/settings.ts';
import type { OptionState } from '#pwa/offline/outbox-entry.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import styles from './conflict-choice.module.css';
import { isMapSetting, mapText, mergedMap, mergeMaps, parseMap, type EntryMap, type EntryValue } from './setting-texts.ts';
import { useSettingLabels } from './use-setting-labels.ts';

export interface ConflictChoiceProps {
  settingKey: string;
  base: OptionState;
  mine: string;
  theirs: OptionState;
  /** When and by whom mine was made: `you, 14:05`. */
  mineNote: string;
  /** Sends the value, or takes it into the form. */
  verb: 'save' | 'use';
  isBusy?: boolean;
  /** The value that is to replace theirs. */
  onChoose: (value: string) => void;
  /** Theirs stays. */
  onDrop: () => void;
}

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
  const words = useSettingLabels();
  const [choice, setChoice] = useState<Choice>('mine');
  const [other, setOther] = useState('');
  const problem = choice === 'other' && isSettingKey(settingKey) ? settingProblem(settingKey, other) : undefined;
  const chosen = choice === 'other' ? other.trim() : mine;
  const difference = (value: string): string => words.valueDifference(settingKey, base.value, value);
  return (
    <div className={styles.conflict}>
      <Options
        name={words.name(settingKey)}
        base={{ note: t('settings.conflict.base_note', { revision: base.revision }), value: words.value(settingKey, base.value) }}
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
        otherError={problem === undefined || other === '' ? undefined : words.problem(problem)}
      />
      {choice === 'theirs' ? (
        <Button variant={verb === 'save' ? 'filled' : 'default'} loading={isBusy} onClick={onDrop}>
          {t('settings.conflict.keep_theirs', { theirs: words.inSentence(settingKey, theirs.value) })}
        </Button>
      ) : (
        <Button
          variant={verb === 'save' ? 'filled' : 'default'}
          loading={isBusy}
          disabled={problem !== undefined}
          onClick={() => onChoose(chosen)}
        >
          {t(`settings.conflict.${verb}_instead`, {
            mine: words.inSentence(settingKey, chosen),
            theirs: words.inSentence(settingKey, theirs.value),
          })}
        </Button>
      )}
    </div>
  );
}

function MapConflict(props: ConflictChoiceProps & { maps: { base: EntryMap; mine: EntryMap; theirs: EntryMap } }) {
  const { settingKey, base, theirs, maps, mineNote, verb, isBusy = false, onChoose, onDrop } = props;
  const { t } = useTranslation();
  const words = useSettingLabels();
  const merge = mergeMaps(maps);
  const [choices, setChoices] = useState<ReadonlyMap<string, { choice: Choice; other: string }>>(new Map());
  const choiceOf = (name: string): { choice: Choice; other: string } => choices.get(name) ?? { choice: 'mine', other: '' };
  const isNumbers = isSettingKey(settingKey) && settings[settingKey].kind === 'number_map';
  const otherValue = (text: string): EntryValue => (isNumbers ? Number(text) : text);

  const values = new Map(
    merge.conflicts.map(({ name, mine, theirs: foreign }): [string, EntryValue] => {
      const { choice, other } = choiceOf(name);
      return [name, choice === 'mine' ? mine : choice === 'theirs' ? foreign : otherValue(other)];
    }),
  );
  const isUnfinished = merge.conflicts.some(({ name }) => choiceOf(name).choice === 'other' && choiceOf(name).other.trim() === '');
  const result = mapText(mergedMap(maps.theirs, merge, values));
  const problem = isUnfinished ? undefined : isSettingKey(settingKey) ? settingProblem(settingKey, result) : undefined;
  const changesNothing = merge.mine.length === 0 && merge.conflicts.every(({ name, theirs: foreign }) => values.get(name) === foreign);
  const [only] = merge.conflicts.length === 1 ? merge.conflicts : [];

  return (
    <div className={styles.conflict}>
      {merge.conflicts.length === 0 && <p className={styles.note}>{t('settings.conflict.apart')}</p>}
      {merge.conflicts.map((conflict) => {
        const { choice, other } = choiceOf(conflict.name);
        const change = (next: Partial<{ choice: Choice; other: string }>): void =>
          setChoices((old) => new Map(old).set(conflict.name, { ...choiceOf(conflict.name), ...next }));
        return (
          <Options
            key={conflict.name}
            name={conflict.name}
            isNamed
            base={{ note: t('settings.conflict.base_note', { revision: base.revision }), value: words.entry(conflict.base) }}
            mine={{ note: mineNote, value: words.entry(conflict.mine), difference: words.difference(conflict.base, conflict.mine) }}
            theirs={{
              note: words.changeNote(theirs),
              value: words.entry(conflict.theirs),
              difference: words.difference(conflict.base, conflict.theirs),
            }}
            choice={choice}
            onChoice={(next) => change({ choice: next })}
            other={other}
            onOther={(text) => change({ other: text })}
            otherError={choice === 'other' && other !== '' && problem !== undefined ? words.problem(problem) : undefined}
          />
        );
      })}
      {[...merge.mine.map((change) => ({ ...change, isMine: true })), ...merge.theirs.map((change) => ({ ...change, isMine: false }))].map(
        (change) => (
          <p key={change.name} className={styles.merged}>
            <Icon name="check" />
            <span className={styles.mergedName}>
              {change.name}{' '}
              <span className={styles.quiet}>
                · {t(change.isMine ? 'settings.conflict.merged_mine' : 'settings.conflict.merged_theirs')}
              </span>
            </span>
            <span>
              <span className={styles.quiet}>{words.entry(change.from)} →</span> {words.entry(change.to)}
            </span>
          </p>
        ),
      )}
      {changesNothing ? (
        <Button variant={verb === 'save' ? 'filled' : 'default'} loading={isBusy} onClick={onDrop}>
          {only === undefined
            ? t('settings.conflict.keep_all_theirs')
            : t('settings.conflict.keep_theirs', { theirs: words.entryInSentence(only.theirs) })}
        </Button>
      ) : (
        <Button
          variant={verb === 'save' ? 'filled' : 'default'}
          loading={isBusy}
          disabled={isUnfinished || problem !== undefined}
          onClick={() => onChoose(result)}
        >
          {only === undefined || values.get(only.name) === only.theirs
            ? t(`settings.conflict.${verb}_merged`)
            : t(`settings.conflict.${verb}_instead`, {
                mine: words.entryInSentence(values.get(only.name)),
                theirs: words.entryInSentence(only.theirs),
              })}
        </Button>
      )}
    </div>
  );
}

type Choice = 'mine' | 'theirs' | 'other';

interface OptionsProps {
  name: string;
  /** The name stands above: there are several. */
  isNamed?: boolean;
  base: { note: string; value: string };
  mine: { note: string; value: string; difference: string };
  theirs: { note: string; value: string; difference: string };
  choice: Choice;
  onChoice: (choice: Choice) => void;
  other: string;
  onOther: (text: string) => void;
  otherError: ReactNode;
}

function Options({ name, isNamed = false, base, mine, theirs, choice, onChoice, other, onOther, otherError }: OptionsProps) {
  const { t } = useTranslation();
  const group = useId();
  const option = (value: Choice, title: string, side?: { note: string; value: string; difference: string }): ReactNode => (
    <label className={styles.option} data-chosen={choice === value || undefined}>
      <input type="radio" name={group} checked={choice === value} onChange={() => onChoice(value)} />
      <span className={styles.side}>
        <b className={side === undefined ? styles.plain : undefined}>{title}</b>
        {side !== undefined && <small>{side.note}</small>}
      </span>
      {side !== undefined && (
        <span className={styles.value}>
          <b>{side.value}</b>
          {side.difference !== '' && <small>{side.difference}</small>}
        </span>
      )}
    </label>
  );
  return (
    <fieldset className={styles.options}>
      <legend className={isNamed ? styles.name : 'visually-hidden'}>{name}</legend>
      <p className={styles.base}>
        <span className={styles.side}>
          {t('settings.conflict.base')} <span className={styles.quiet}>· {base.note}</span>
        </span>
        <span className={styles.baseValue}>{base.value}</span>
      </p>
      {option('mine', t('settings.conflict.mine'), mine)}
      {option('theirs', t('settings.conflict.theirs'), theirs)}
      {option('other', t('settings.conflict.other'))}
      {choice === 'other' && (
        <TextInput
          aria-label={t('settings.conflict.other_label', { name })}
          value={other}
          error={otherError}
          autoFocus
          autoComplete="off"
          onChange={(event) => onOther(event.currentTarget.value)}
        />
      )}
    </fieldset>
  );
}
