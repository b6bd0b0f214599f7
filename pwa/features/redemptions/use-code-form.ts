import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Redemption, redemptionBatchLimit, redemptionNameLimit } from '#shared/redemptions.ts';
import { useEditedRecord } from '#pwa/records/use-edited-record.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { useEditCode } from './code-actions.ts';
import { codeProblems, type CodeValues, editBody, emptyCode, valuesOf } from './code-form.ts';

export function useNewCodesForm() {
  const problems = useProblemTexts();
  return useForm<CodeValues>({ initialValues: emptyCode, validate: (values) => problems(values) });
}
export type CodeForm = ReturnType<typeof useNewCodesForm>;

/** The form of a code that is there, and its saves. */
export function useEditedCode(code: Redemption) {
  return useEditedRecord(code, { valuesOf, problems: useProblemTexts(), edit: useEditCode(), schema: Redemption, bodyOf: editBody });
}

function useProblemTexts(): (values: CodeValues, base?: Redemption) => Record<string, string> {
  const { t } = useTranslation();
  return (values, base) =>
    problemTexts(codeProblems(values, { now: Date.now() / 1000, before: base }), (problem) =>
      t(`redemptions.problem.${problem}`, { limit: problem === 'count_range' ? redemptionBatchLimit : redemptionNameLimit }),
    );
}
