import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Token, tokenBatchLimit, tokenNameLimit } from '#shared/tokens.ts';
import { useRecordSave } from '#pwa/api/use-record-save.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';
import { useEditToken } from './token-actions.ts';
import { editBody, emptyToken, tokenProblems, type TokenValues, valuesOf } from './token-form.ts';

export function useNewTokenForm() {
  const problems = useProblemTexts();
  return useForm<TokenValues>({ initialValues: emptyToken, validate: (values) => problems(values) });
}

export type TokenForm = ReturnType<typeof useNewTokenForm>;

/** The form of a token that is there. */
export function useTokenForm(token: Token) {
  return useRecordForm({
    record: token,
    valuesOf,
    problems: useProblemTexts(),
    isNewer: (record, base) => record.revision > base.revision,
  });
}
export type EditedToken = ReturnType<typeof useTokenForm>;

/** Saves what the form changed. A refusal that stands at no field is returned. */
export function useSaveToken(edited: EditedToken) {
  return useRecordSave(edited, { edit: useEditToken(), schema: Token, bodyOf: editBody });
}

function useProblemTexts(): (values: TokenValues, base?: Token) => Record<string, string> {
  const { t } = useTranslation();
  return (values, base) =>
    problemTexts(tokenProblems(values, { now: Date.now() / 1000, before: base }), (problem) =>
      t(`tokens.problem.${problem}`, { limit: problem === 'count_range' ? tokenBatchLimit : tokenNameLimit }),
    );
}
