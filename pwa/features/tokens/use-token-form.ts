import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { Token, tokenBatchLimit, tokenNameLimit } from '#shared/tokens.ts';
import { failureOf, newerRecord, refusalText } from '#pwa/api/failure.ts';
import { problemTexts, showOnField } from '#pwa/ui/form/field-errors.ts';
import { useRecordForm } from '#pwa/ui/form/use-record-form.ts';
import { useEditToken } from './token-actions.ts';
import { editBody, emptyToken, isUnchanged, tokenProblems, type TokenValues, valuesOf } from './token-form.ts';

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
export function useSaveToken({ form, base, setTheirs, start }: EditedToken) {
  const edit = useEditToken();

  /** @param newest what others saved meanwhile: the form's changes are written over it */
  function save(newest = base): void {
    const body = editBody(form.getValues(), base, newest.revision);
    if (isUnchanged(body)) return;
    edit.mutate(body, {
      onSuccess: start,
      onError: (error) => {
        const theirs = newerRecord(error, Token);
        if (theirs !== undefined) setTheirs(theirs);
        else showOnField(form, failureOf(error));
      },
    });
  }
  const isConflict = newerRecord(edit.error, Token) !== undefined;
  return { save, isPending: edit.isPending, refusal: isConflict ? undefined : refusalText(edit.error, form) };
}

function useProblemTexts(): (values: TokenValues, base?: Token) => Record<string, string> {
  const { t } = useTranslation();
  return (values, base) =>
    problemTexts(tokenProblems(values, { now: Date.now() / 1000, before: base }), (problem) =>
      t(`tokens.problem.${problem}`, { limit: problem === 'count_range' ? tokenBatchLimit : tokenNameLimit }),
    );
}
