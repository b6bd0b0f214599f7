import { useTranslation } from 'react-i18next';
import { Picks } from '#pwa/ui/form/picks.tsx';

const day = 86_400;
const choices = [
  { name: 'day', seconds: day },
  { name: 'week', seconds: 7 * day },
  { name: 'month', seconds: 30 * day },
  { name: 'quarter', seconds: 90 * day },
] as const;
export const defaultValidity: number = 7 * day;

/** How long a link is valid, in seconds. */
export function ValidityPicks({ value, onChange }: { value: number; onChange: (seconds: number) => void }) {
  const { t } = useTranslation();
  return (
    <div role="group" aria-label={t('invitations.validity.label')}>
      <Picks
        picks={choices.map(({ name, seconds }) => ({
          key: name,
          label: t(`invitations.validity.${name}`),
          isChosen: seconds === value,
          onPick: () => onChange(seconds),
        }))}
      />
    </div>
  );
}
