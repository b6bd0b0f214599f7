import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Token, tokenBatchLimit, tokenNameLimit } from '#shared/tokens.ts';
import { useEditedRecord } from '#pwa/records/use-edited-record.ts';
import { problemTexts } from '#pwa/ui/form/field-errors.ts';
import { useEditToken } from './token-actions.ts';
import { editBody, emptyToken, tokenProblems, type TokenValues, valuesOf } from './token-form.ts';

export function useNewTokenForm() {
  const problems = useProblemTexts();
  return useForm<TokenValues>({ initialValues: emptyToken, validate: (values) => problems(values) });
}

export type TokenForm = ReturnType<typeof useNewTokenForm>;

/** The form of a token that is there, and its saves. */
export function useEditedToken(token: Token) {
  return useEditedRecord(token, { valuesOf, problems: useProblemTexts(), edit: useEditToken(), schema: Token, bodyOf: editBody });
}

function useProblemTexts(): (values: TokenValues, base?: Token) => Record<string, string> {
  const { t } = useTranslation();
  return (values, base) =>
    problemTexts(tokenProblems(values, { now: Date.now() / 1000, before: base }), (problem) =>
      t(`tokens.problem.${problem}`, { limit: problem === 'count_range' ? tokenBatchLimit : tokenNameLimit }),
    );
}
