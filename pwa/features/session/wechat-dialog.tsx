import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { safePicture } from '#shared/links.ts';
import { oauthApi } from '#shared/oauth.ts';
import type { User } from '#shared/user.ts';
import { call } from '#pwa/api/call.ts';
import { failureOf } from '#pwa/api/failure.ts';
import { Dialog } from '#pwa/ui/frame/dialog.tsx';
import { PlainButton } from '#pwa/ui/controls/plain-button.tsx';
import { PlainField } from '#pwa/ui/form/plain-field.tsx';
import layout from '#pwa/ui/styles/layout.module.css';
import { storedInviteCode } from './invite-code.ts';
import styles from './session-form.module.css';

interface WeChatFormProps {
  /** Address of the code to scan. */
  picture: string;
  onClose: () => void;
  onSignedIn?: (user: User) => void;
  /** The own account is bound, instead of a sign-in. */
  onBound?: () => void;
}

/** The sign-in does without what a sheet on a phone is made of. */
export function WeChatDialog(props: WeChatFormProps) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('signin.wechat.title')} onClose={props.onClose}>
      <WeChatForm {...props} />
    </Dialog>
  );
}

/** Who scans the picture and writes to the account gets a code, which is entered here. */
export function WeChatForm({ picture, onClose, onSignedIn, onBound }: WeChatFormProps) {
  const { t } = useTranslation();
  const [missing, setMissing] = useState(false);
  const source = safePicture(picture);
  const send = useMutation({
    mutationFn: async (code: string) => {
      if (onBound !== undefined) {
        await call(oauthApi.bindWeChat, { query: { code } });
        onBound();
      } else onSignedIn?.(await call(oauthApi.wechat, { query: { code, aff: storedInviteCode() } }));
    },
    meta: { quiet: true },
  });
  function handleSubmit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const code = new FormData(event.currentTarget).get('code');
    const text = typeof code === 'string' ? code.trim() : '';
    setMissing(text === '');
    if (text !== '') send.mutate(text);
  }
  const error = missing ? t('signin.wechat.required') : send.error === null ? undefined : failureOf(send.error).message;
  return (
    <form className={layout.stackLg} noValidate onSubmit={handleSubmit}>
      {source !== undefined && <img className={styles.code} src={source} alt={t('signin.wechat.picture')} />}
      <p>{t('signin.wechat.hint')}</p>
      <PlainField name="code" label={t('signin.wechat.code')} error={error} autoComplete="one-time-code" />
      <div className={`${layout.wrap} ${styles.actions}`}>
        <PlainButton onClick={onClose}>{t('signin.wechat.cancel')}</PlainButton>
        <PlainButton type="submit" variant="filled" isBusy={send.isPending}>
          {t(onBound === undefined ? 'signin.wechat.submit' : 'signin.bindings.bind')}
        </PlainButton>
      </div>
    </form>
  );
}
