import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import styles from './record-panel.module.css';

/** What a panel of a limited record shows of it. */
export const panelParts = ['details', 'limits'] as const;
export type PanelPart = (typeof panelParts)[number];

/** Fields of the limits' part. */
export const limitFieldNames: readonly string[] = ['rate_limits', 'budgets'];

export function PanelParts({ part, onPart }: { part: PanelPart; onPart: (part: PanelPart) => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.parts}>
      <Segments
        label={t('limits.part.label')}
        value={part}
        options={panelParts.map((value) => ({ value, label: t(`limits.part.${value}`) }))}
        onChange={onPart}
      />
    </div>
  );
}

/** The part with the first problem, if the present one has none. */
export function partOfProblem(part: PanelPart, errors: object): PanelPart {
  const fields = Object.keys(errors);
  if (fields.length === 0) return part;
  const has = (one: PanelPart): boolean => fields.some((field) => limitFieldNames.includes(field) === (one === 'limits'));
  return has(part) ? part : part === 'limits' ? 'details' : 'limits';
}
