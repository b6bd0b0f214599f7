import { useTranslation } from 'react-i18next';
import type { UsageFigures } from '#shared/dashboard.ts';
import { useFormat } from '#pwa/ui/billing/format-context.ts';
import { saveText } from '#pwa/ui/controls/save-text.ts';
import { RowMenu } from '#pwa/ui/list/row-menu.tsx';
import type { DashboardQuestion } from './dashboard-question.ts';
import { breakdownFile, fileName, stepsFile } from './figures-file.ts';

interface FiguresMenuProps {
  /** Undefined until those of the question are there. */
  figures: UsageFigures | undefined;
  question: DashboardQuestion;
  isCompared: boolean;
}

/** Content of the question as files, without a request to the server. */
export function FiguresMenu({ figures, question, isCompared }: FiguresMenuProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const options = { format, isCompared, othersText: (count: number) => t('dashboard.others', { count }) };
  const save = (what: 'step' | 'by', textOf: (of: UsageFigures) => string): void => {
    if (figures !== undefined)
      saveText(fileName(figures, question, { what: figures[what], format }), textOf(figures), { type: 'text/csv' });
  };
  const isDisabled = figures === undefined;
  return (
    <RowMenu
      label={t('dashboard.file.menu')}
      icon="download"
      width={220}
      content={() => ({
        actions: [
          { key: 'steps', label: t('dashboard.file.steps'), isDisabled, onClick: () => save('step', (of) => stepsFile(of, options)) },
          {
            key: 'breakdown',
            label: t('dashboard.file.breakdown', { by: t(`dashboard.by.${question.by}`) }),
            isDisabled,
            onClick: () => save('by', (of) => breakdownFile(of, options)),
          },
        ],
      })}
    />
  );
}
