import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Segments } from '#pwa/ui/controls/segments.tsx';
import styles from './record-panel.module.css';

/** What a panel of a limited record shows of it; in the address as `part`, if it is not the first. */
const panelParts = ['details', 'limits'] as const;
type PanelPart = (typeof panelParts)[number];

/** Fields of the limits' part. */
const limitFields: ReadonlySet<string> = new Set(['rate_limits', 'budgets']);

interface PanelPartsProps {
  part: PanelPart;
  onPart: (part: PanelPart) => void;
}

export function PanelParts({ part, onPart }: PanelPartsProps) {
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

/** The part that the address names, until another one is chosen or has all problems of the form. */
export function usePanelPart(errors: object): PanelPartsProps {
  const router = useRouter();
  const navigate = useNavigate();
  const [part, setPart] = useState<PanelPart>(() => partIn(router.latestLocation.search));
  useEffect(() => {
    setPart((now) => partOfProblem(now, errors));
  }, [errors]);
  return {
    part,
    onPart(chosen) {
      setPart(chosen);
      void navigate({ to: '.', search: (old) => ({ ...old, part: chosen === 'limits' ? chosen : undefined }), replace: true });
    },
  };
}

function partIn(search: object): PanelPart {
  return 'part' in search && search.part === 'limits' ? 'limits' : 'details';
}

/** The part with the first problem, if the present one has none. */
function partOfProblem(part: PanelPart, errors: object): PanelPart {
  const fields = Object.keys(errors);
  if (fields.length === 0) return part;
  const has = (one: PanelPart): boolean => fields.some((field) => limitFields.has(field) === (one === 'limits'));
  return has(part) ? part : part === 'limits' ? 'details' : 'limits';
}
