import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Redemption, redemptionBatchLimit, redemptionNameLimit } from '#shared/redemptions.ts';
import { useRecordSave } from '#pwa/api/use-record-save.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';
import { useEditCode } from './code-actions.ts';
import { codeProblems, type CodeValues, editBody, emptyCode, valuesOf } from './code-form.ts';

export function useNewCodesForm() {
  const problems = useProblemTexts();
  return useForm<CodeValues>({ initialValues: emptyCode, validate: (values) => problems(values) });
}
export type CodeForm = ReturnType<typeof useNewCodesForm>;

/** The form of a code that is there. */
export function useCodeForm(code: Redemption) {
  return useRecordForm({
    record: code,
    valuesOf,
    problems: useProblemTexts(),
    isNewer: (record, base) => record.revision > base.revision,
  });
}
export type EditedCode = ReturnType<typeof useCodeForm>;

/** Saves what the form changed. A refusal that stands at no field is returned. */
export function useSaveCode(edited: EditedCode) {
  return useRecordSave(edited, { edit: useEditCode(), schema: Redemption, bodyOf: editBody });
}

function useProblemTexts(): (values: CodeValues, base?: Redemption) => Record<string, string> {
  const { t } = useTranslation();
  return (values, base) =>
    problemTexts(codeProblems(values, { now: Date.now() / 1000, before: base }), (problem) =>
      t(`redemptions.problem.${problem}`, { limit: problem === 'count_range' ? redemptionBatchLimit : redemptionNameLimit }),
    );
}
