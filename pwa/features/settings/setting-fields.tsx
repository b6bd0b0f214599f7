import { useEffect } from 'react';
import { Role } from '#shared/roles.ts';
import type { Option } from '#shared/options.ts';
import { mayWriteSetting } from '#shared/settings.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { Later } from '#pwa/ui/frame/later.tsx';
import typography from '#pwa/ui/styles/typography.module.css';
import type { SettingEntry } from './setting-entry.ts';
import { SettingField } from './setting-field.tsx';
import { seekSetting } from './seek-setting.ts';
import styles from './settings.module.css';
import type { SettingEdits } from './use-setting-edits.ts';

export interface FieldSection {
  title: string | undefined;
  entries: readonly SettingEntry[];
}

export interface SettingFieldsProps {
  sections: readonly FieldSection[];
  options: readonly Option[];
  edits: SettingEdits;
  /** The setting that a link leads to. */
  wanted: string | undefined;
  onType: (entry: SettingEntry, text: string) => void;
}

/** The first section at once, each further one separately: together they would block a slow phone for half a second. */
export function SettingFields({ sections: [section, ...further], ...shared }: SettingFieldsProps) {
  if (section === undefined) return null;
  return (
    <>
      <section className={styles.section}>
        {section.title !== undefined && <h3 className={`${typography.note} ${styles.title}`}>{section.title}</h3>}
        {section.entries.map((entry) => (
          <Field key={entry.key} entry={entry} {...shared} />
        ))}
      </section>
      {further.length > 0 && (
        <Later>
          <SettingFields sections={further} {...shared} />
        </Later>
      )}
    </>
  );
}

function Field({ entry, options, edits, wanted, onType }: Omit<SettingFieldsProps, 'sections'> & { entry: SettingEntry }) {
  const role = useStoredUser()?.role ?? Role.guest;
  const option = options.find(({ key }) => key === entry.key);
  const isWanted = entry.key === wanted;
  useEffect(() => {
    if (isWanted) seekSetting(entry.key);
  }, [isWanted, entry.key]);
  // A server that does not know the setting yet.
  if (option === undefined) return null;
  return (
    <SettingField
      entry={entry}
      isWanted={isWanted}
      option={option}
      draft={edits.drafts.get(entry.key)}
      queued={edits.queued.get(entry.key)}
      theirs={edits.theirs.get(entry.key)}
      problem={edits.problems.get(entry.key)}
      mayWrite={mayWriteSetting(entry.key, role) && option.managed_by === undefined}
      onType={(text) => onType(entry, text)}
      onResolve={(value, theirs) => edits.resolve(entry.key, value, theirs)}
      onDrop={() => edits.drop(entry.key)}
    />
  );
}
