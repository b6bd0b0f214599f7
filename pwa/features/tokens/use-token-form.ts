import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { type Token, tokenBatchLimit, tokenNameLimit } from '#shared/tokens.ts';
import { tokenProblems, type TokenValues } from './token-form.ts';

/** The form with its rules in words. `before`: the token that is edited. */
export function useTokenForm(initialValues: TokenValues, before: () => Token | undefined) {
  const { t } = useTranslation();
  return useForm<TokenValues>({
    initialValues,
    validate: (values) =>
      Object.fromEntries(
        Object.entries(tokenProblems(values, { now: Date.now() / 1000, before: before() })).map(([field, problem]) => [
          field,
          t(`tokens.problem.${problem}`, { limit: problem === 'count_range' ? tokenBatchLimit : tokenNameLimit }),
        ]),
      ),
  });
}

export type TokenForm = ReturnType<typeof useTokenForm>;

export function focusFirstError(): void {
  // The fields get their marks with the next paint.
  requestAnimationFrame(() => document.querySelector<HTMLElement>('form [aria-invalid=true]')?.focus());
}
