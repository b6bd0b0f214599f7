import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isSettingKey, settingProblem, settings, type EntryMap, type EntryValue } from '#shared/settings.ts';
import { Icon } from '#pwa/ui/controls/icon.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import typography from '#pwa/ui/styles/typography.module.css';
import styles from './conflict-choice.module.css';
import { type Choice, type ConflictChoiceProps, ConflictOptions } from './conflict-options.tsx';
import { type MapMerge, mapText, mergedMap, mergeMaps } from './setting-texts.ts';
import { useSettingLabels } from './use-setting-labels.ts';

interface MapConflictProps extends ConflictChoiceProps {
  maps: { base: EntryMap; mine: EntryMap; theirs: EntryMap };
}

/** Two edits of one map, entry by entry: only entries that both changed need a decision. */
export function MapConflict(props: MapConflictProps) {
  const { theirs, mineNote, isBusy = false } = props;
  const { t } = useTranslation();
  const words = useSettingLabels();
  const edit = useMapMerge(props);

  function handleOtherDone(): void {
    if (isBusy || edit.isUnfinished || edit.problem !== undefined) return;
    if (edit.changesNothing) props.onDrop();
    else props.onChoose(edit.result);
  }
  return (
    <div className={`${layout.stackMd} ${styles.conflict}`}>
      {edit.merge.conflicts.length === 0 && <p className={typography.muted}>{t('setting_parts.conflict.apart')}</p>}
      {edit.merge.conflicts.map((conflict) => {
        const { choice, other } = edit.choiceOf(conflict.name);
        return (
          <ConflictOptions
            key={conflict.name}
            name={conflict.name}
            isNamed
            base={{ note: t('setting_parts.conflict.base_note'), value: words.entry(conflict.base) }}
            mine={{ note: mineNote, value: words.entry(conflict.mine), difference: words.difference(conflict.base, conflict.mine) }}
            theirs={{
              note: words.changeNote(theirs),
              value: words.entry(conflict.theirs),
              difference: words.difference(conflict.base, conflict.theirs),
            }}
            choice={choice}
            onChoice={(next) => edit.choose(conflict.name, { choice: next })}
            other={other}
            onOther={(text) => edit.choose(conflict.name, { other: text })}
            onOtherDone={handleOtherDone}
            otherError={choice === 'other' && other !== '' && edit.problem !== undefined ? words.problem(edit.problem) : undefined}
          />
        );
      })}
      <MergedEntries merge={edit.merge} />
      <MapConflictButton {...props} edit={edit} />
    </div>
  );
}

type EntryChoice = { choice: Choice; other: string };
const untouched: EntryChoice = { choice: 'mine', other: '' };

/** What becomes of both edits with the choices made so far. */
function useMapMerge({ settingKey, maps }: Pick<MapConflictProps, 'settingKey' | 'maps'>) {
  const merge = mergeMaps(maps);
  const [choices, setChoices] = useState<ReadonlyMap<string, EntryChoice>>(new Map());
  const choiceOf = (name: string): EntryChoice => choices.get(name) ?? untouched;
  const isNumbers = isSettingKey(settingKey) && settings[settingKey].kind === 'number_map';
  const otherValue = (text: string): EntryValue => (isNumbers ? Number(text) : text);
  const values = new Map(
    merge.conflicts.map(({ name, mine, theirs }): [string, EntryValue] => {
      const { choice, other } = choiceOf(name);
      return [name, choice === 'mine' ? mine : choice === 'theirs' ? theirs : otherValue(other)];
    }),
  );
  const isUnfinished = merge.conflicts.some(({ name }) => choiceOf(name).choice === 'other' && choiceOf(name).other.trim() === '');
  const result = mapText(mergedMap(maps.theirs, merge, values));
  const problem = isUnfinished || !isSettingKey(settingKey) ? undefined : settingProblem(settingKey, result);
  return {
    merge,
    values,
    result,
    problem,
    isUnfinished,
    changesNothing: merge.mine.length === 0 && merge.conflicts.every(({ name, theirs }) => values.get(name) === theirs),
    choiceOf,
    choose: (name: string, next: Partial<EntryChoice>): void =>
      setChoices((old) => new Map(old).set(name, { ...(old.get(name) ?? untouched), ...next })),
  };
}

/** Entries that only one side changed: both changes stand. */
function MergedEntries({ merge }: { merge: MapMerge }) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const changes = [
    ...merge.mine.map((change) => ({ ...change, isMine: true })),
    ...merge.theirs.map((change) => ({ ...change, isMine: false })),
  ];
  return changes.map((change) => (
    <p key={change.name} className={`${layout.row} ${styles.merged}`}>
      <Icon name="check" />
      <span className={`${layout.fill} ${styles.mergedName}`}>
        {change.name}{' '}
        <span className={typography.muted}>
          · {t(change.isMine ? 'setting_parts.conflict.merged_mine' : 'setting_parts.conflict.merged_theirs')}
        </span>
      </span>
      <span>
        <span className={typography.muted}>{words.entry(change.from)} →</span> {words.entry(change.to)}
      </span>
    </p>
  ));
}

interface MapConflictButtonProps extends MapConflictProps {
  edit: ReturnType<typeof useMapMerge>;
}

/** Says what will happen: which value takes the place of which. */
function MapConflictButton({ edit, verb, isBusy = false, onChoose, onDrop }: MapConflictButtonProps) {
  const { t } = useTranslation();
  const words = useSettingLabels();
  const [only] = edit.merge.conflicts.length === 1 ? edit.merge.conflicts : [];
  const variant = verb === 'save' ? 'filled' : 'default';
  if (edit.changesNothing) {
    return (
      <Button variant={variant} loading={isBusy} onClick={onDrop}>
        {only === undefined
          ? t('setting_parts.conflict.keep_all_theirs')
          : t('setting_parts.conflict.keep_theirs', { theirs: words.entryInSentence(only.theirs) })}
      </Button>
    );
  }
  return (
    <Button
      variant={variant}
      loading={isBusy}
      disabled={edit.isUnfinished || edit.problem !== undefined}
      onClick={() => onChoose(edit.result)}
    >
      {only === undefined || edit.values.get(only.name) === only.theirs
        ? t(`setting_parts.conflict.${verb}_merged`)
        : t(`setting_parts.conflict.${verb}_instead`, {
            mine: words.entryInSentence(edit.values.get(only.name)),
            theirs: words.entryInSentence(only.theirs),
          })}
    </Button>
  );
}
