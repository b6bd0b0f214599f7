import { useTranslation } from 'react-i18next';
import { Role } from '#shared/roles.ts';
import { useStoredUser } from '#pwa/api/self.ts';
import { loadTexts } from '#pwa/i18n/setup.ts';
import { Fold } from '#pwa/ui/form/fold.tsx';
import { lazyPart } from '#pwa/ui/frame/lazy-part.tsx';

const RecordHistory = lazyPart(
  async () => {
    const [part] = await Promise.all([import('./record-history.tsx'), loadTexts('audit')]);
    return part;
  },
  (part) => part.RecordHistory,
  null,
);

/** History of a record in its panel, for administrators; requested when it is opened. @param object `<kind>:<id>` */
export function RecordHistoryFold({ object }: { object: string }) {
  const { t } = useTranslation();
  if ((useStoredUser()?.role ?? 0) < Role.admin) return null;
  return <Fold title={t('editing.history')}>{() => <RecordHistory object={object} />}</Fold>;
}
